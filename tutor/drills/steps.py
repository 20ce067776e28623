"""Steps that several families take."""

from __future__ import annotations

from tutor.drills.family import Step

PER_LAYER = Step("Bytes in one layer", "2 * kv_heads * head_dim * bytes_per_value", "B", 0.03, ("KiB", "KB"))
PER_TOKEN = Step("KV cache per token", "layers * per_layer", "B", 0.03, ("KiB", "KB"))
WEIGHTS = Step("Weight bytes", "parameters * bytes_per_weight / 1e9", "GB", 0.03)
