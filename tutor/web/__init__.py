"""Gradio screens: each callback turns a widget value into one verb and the result back into a widget."""
