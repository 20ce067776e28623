"""Models and accelerators that drills reckon with: shapes and speeds as their makers publish them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Model:
    """A dense decoder with gated MLPs whose layers all attend to the whole context.

    Attributes:
        hidden: Width of the residual stream.
        heads: Query heads a layer.
        kv_heads: Key and value heads a layer.
        head_dim: Width of a head.
        mlp: Width inside an MLP.
        vocabulary: Rows of the embedding.
        tied: Whether the output layer is the embedding again.
        context: The longest context it was published for, in tokens.
    """

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    mlp: int
    vocabulary: int
    tied: bool
    context: int

    @property
    def parameters(self) -> float:
        """Weights of all matrices to four digits; norms and biases are too small to show.

        >>> next(model.parameters for model in MODELS if model.name == "LLaMA-3.1-70B")
        70550000000.0
        """
        attention = self.hidden * self.head_dim * 2 * (self.heads + self.kv_heads)
        embeddings = self.vocabulary * self.hidden * (1 if self.tied else 2)
        return float(f"{embeddings + self.layers * (attention + 3 * self.hidden * self.mlp):.4g}")


@dataclass(frozen=True)
class Gpu:
    """An accelerator.

    Attributes:
        memory_gb: Its memory.
        bandwidth_tb_per_s: What the memory delivers at most.
        peak_tflop_per_s: Dense BF16 matrix products with FP32 accumulation, without sparsity.
        most: How many of them a server has at most.
    """

    name: str
    memory_gb: float
    bandwidth_tb_per_s: float
    peak_tflop_per_s: float
    most: int

    @property
    def ridge(self) -> float:
        """Operations per byte from which on arithmetic is the limit."""
        return self.peak_tflop_per_s / self.bandwidth_tb_per_s


# From config.json in the public repository of each model: num_hidden_layers, hidden_size, num_attention_heads,
# num_key_value_heads, head_dim (or hidden_size / num_attention_heads), intermediate_size, vocab_size,
# tie_word_embeddings; the context is that of the model card without stretching. Models with sliding windows,
# latent attention or experts are left out: for them the plain products do not hold.
MODELS: tuple[Model, ...] = (
    Model("LLaMA-2-7B", 32, 4096, 32, 32, 128, 11008, 32000, False, 4096),
    Model("LLaMA-2-13B", 40, 5120, 40, 40, 128, 13824, 32000, False, 4096),
    Model("LLaMA-3.2-1B", 16, 2048, 32, 8, 64, 8192, 128256, True, 131072),
    Model("LLaMA-3.2-3B", 28, 3072, 24, 8, 128, 8192, 128256, True, 131072),
    Model("LLaMA-3.1-8B", 32, 4096, 32, 8, 128, 14336, 128256, False, 131072),
    Model("LLaMA-3.1-70B", 80, 8192, 64, 8, 128, 28672, 128256, False, 131072),
    Model("LLaMA-3.1-405B", 126, 16384, 128, 8, 128, 53248, 128256, False, 131072),
    Model("Mistral-7B-v0.3", 32, 4096, 32, 8, 128, 14336, 32768, False, 32768),
    Model("Mistral-Nemo-12B", 40, 5120, 32, 8, 128, 14336, 131072, False, 131072),
    Model("Mistral-Small-24B", 40, 5120, 32, 8, 128, 32768, 131072, False, 32768),
    Model("Qwen2.5-0.5B", 24, 896, 14, 2, 64, 4864, 151936, True, 32768),
    Model("Qwen2.5-1.5B", 28, 1536, 12, 2, 128, 8960, 151936, True, 32768),
    Model("Qwen2.5-3B", 36, 2048, 16, 2, 128, 11008, 151936, True, 32768),
    Model("Qwen2.5-7B", 28, 3584, 28, 4, 128, 18944, 152064, False, 32768),
    Model("Qwen2.5-14B", 48, 5120, 40, 8, 128, 13824, 152064, False, 32768),
    Model("Qwen2.5-32B", 64, 5120, 40, 8, 128, 27648, 152064, False, 32768),
    Model("Qwen2.5-72B", 80, 8192, 64, 8, 128, 29568, 152064, False, 32768),
    Model("Qwen3-0.6B", 28, 1024, 16, 8, 128, 3072, 151936, True, 32768),
    Model("Qwen3-1.7B", 28, 2048, 16, 8, 128, 6144, 151936, True, 32768),
    Model("Qwen3-4B", 36, 2560, 32, 8, 128, 9728, 151936, True, 32768),
    Model("Qwen3-8B", 36, 4096, 32, 8, 128, 12288, 151936, False, 32768),
    Model("Qwen3-14B", 40, 5120, 40, 8, 128, 17408, 151936, False, 32768),
    Model("Qwen3-32B", 64, 5120, 64, 8, 128, 25600, 151936, False, 32768),
    Model("Gemma-7B", 28, 3072, 16, 16, 256, 24576, 256000, True, 8192),
    Model("Phi-4", 40, 5120, 40, 10, 128, 17920, 100352, False, 16384),
)

# From the data sheets of NVIDIA (H100, H200, DGX B200, A100, A10, L4, L40S, RTX 6000 Ada), its architecture papers
# (RTX 3090: Ampere GA102, RTX 4090: Ada) and AMD's data sheet (MI300X). Where a sheet gives the peak with sparsity,
# half of it is dense.
GPUS: tuple[Gpu, ...] = (
    Gpu("H100 SXM", 80, 3.35, 989, 8),
    Gpu("H200 SXM", 141, 4.8, 989, 8),
    Gpu("B200", 180, 8.0, 2250, 8),
    Gpu("MI300X", 192, 5.3, 1307, 8),
    Gpu("A100 SXM", 80, 2.04, 312, 8),
    Gpu("L40S", 48, 0.864, 362, 8),
    Gpu("L4", 24, 0.3, 121, 4),
    Gpu("A10", 24, 0.6, 125, 4),
    Gpu("RTX 6000 Ada", 48, 0.96, 364, 4),
    Gpu("RTX 4090", 24, 1.008, 165, 2),
    Gpu("RTX 3090", 24, 0.936, 71, 2),
)


@dataclass(frozen=True)
class Width:
    """How wide a stored number is."""

    bytes: float
    words: str


WIDTHS: Mapping[str, Width] = {
    "BF16": Width(2.0, "2 bytes"),
    "FP8": Width(1.0, "1 byte"),
    "INT4": Width(0.5, "0.5 bytes"),
}
"""Widths by the name of the format; INT4 without its scales."""


@dataclass(frozen=True)
class Placement:
    """A model with weights in a format on so many equal cards of one server."""

    model: Model
    format: str
    gpu: Gpu
    n_gpus: int

    @property
    def weights_gb(self) -> float:
        """Size of all weights."""
        return self.model.parameters * WIDTHS[self.format].bytes / 1e9

    @property
    def filled(self) -> float:
        """Share of the memory that the weights take."""
        return self.weights_gb / (self.n_gpus * self.gpu.memory_gb)

    def draw(self) -> dict[str, float | str]:
        """Its numbers and words for a drill."""
        each = " each" if self.n_gpus > 1 else ""
        return {
            "model": self.model.name,
            "parameters": self.model.parameters,
            "format": self.format,
            "bytes_per_weight": WIDTHS[self.format].bytes,
            "weight_width": WIDTHS[self.format].words,
            "gpu": self.gpu.name,
            "gpus": self.n_gpus,
            "cards": f"one {self.gpu.name}" if self.n_gpus == 1 else f"{self.n_gpus} {self.gpu.name} cards",
            "memory_gb": self.gpu.memory_gb,
            "reach": f"{self.gpu.bandwidth_tb_per_s:g} TB/s{each}",
            "room": f"{self.gpu.memory_gb:g} GB{each}",
            "peak": f"{self.gpu.peak_tflop_per_s:,} TFLOP/s{each}",
            "bandwidth_tb_per_s": self.gpu.bandwidth_tb_per_s,
            "peak_tflop_per_s": self.gpu.peak_tflop_per_s,
        }


def placements(most_filled: float = 0.8, least_filled: float = 0.1) -> Iterator[Placement]:
    """Every model in every format on 1, 2, 4 or 8 cards that it fills to a share between these two.

    >>> any(p.model.name == "LLaMA-3.1-405B" and p.gpu.name == "L4" for p in placements())
    False
    """
    for model, format, gpu, n_gpus in product(MODELS, WIDTHS, GPUS, (1, 2, 4, 8)):
        placed = Placement(model, format, gpu, n_gpus)
        if n_gpus <= gpu.most and least_filled <= placed.filled <= most_filled:
            yield placed


def shape(model: Model) -> dict[str, float | str]:
    """A model's numbers and words for a drill."""
    return {
        "model": model.name,
        "parameters": model.parameters,
        "layers": model.layers,
        "hidden": model.hidden,
        "heads": model.heads,
        "kv_heads": model.kv_heads,
        "head_dim": model.head_dim,
    }


def cache_bytes(model: Model, bytes_per_value: float) -> float:
    """KV cache of one token: 2 * layers * KV heads * head dimension * bytes.

    >>> cache_bytes(next(model for model in MODELS if model.name == "LLaMA-3.1-70B"), 2)
    327680
    """
    return 2 * model.layers * model.kv_heads * model.head_dim * bytes_per_value
