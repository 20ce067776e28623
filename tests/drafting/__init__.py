"""Tests of drafting: what is found in a page or a table, and what is made of it."""
