"""The shapes of models give the parameters that their makers count, and nothing is put where it does not fit."""

from __future__ import annotations

import pytest

from tutor.drills.machines import GPUS, MODELS, Model, cache_bytes, placements

# Billions, from the model cards.
PUBLISHED = {
    "LLaMA-2-7B": 6.74,
    "LLaMA-2-13B": 13.02,
    "LLaMA-3.2-1B": 1.24,
    "LLaMA-3.2-3B": 3.21,
    "LLaMA-3.1-8B": 8.03,
    "LLaMA-3.1-70B": 70.6,
    "LLaMA-3.1-405B": 406,
    "Mistral-7B-v0.3": 7.25,
    "Mistral-Nemo-12B": 12.2,
    "Mistral-Small-24B": 23.6,
    "Qwen2.5-0.5B": 0.49,
    "Qwen2.5-1.5B": 1.54,
    "Qwen2.5-3B": 3.09,
    "Qwen2.5-7B": 7.61,
    "Qwen2.5-14B": 14.7,
    "Qwen2.5-32B": 32.5,
    "Qwen2.5-72B": 72.7,
    "Qwen3-0.6B": 0.6,
    "Qwen3-1.7B": 1.72,
    "Qwen3-4B": 4.0,
    "Qwen3-8B": 8.2,
    "Qwen3-14B": 14.8,
    "Qwen3-32B": 32.8,
    "Gemma-7B": 8.54,
    "Phi-4": 14.7,
}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_shape_gives_the_published_parameters(model: Model) -> None:
    assert model.parameters / 1e9 == pytest.approx(PUBLISHED[model.name], rel=0.01)
    assert model.heads % model.kv_heads == 0


def test_names_are_there_once() -> None:
    for table in (MODELS, GPUS):
        assert len({row.name for row in table}) == len(table)
    assert len(MODELS) == len(PUBLISHED)


@pytest.mark.parametrize(("name", "kib"), [("LLaMA-3.1-8B", 128), ("LLaMA-3.1-70B", 320), ("Qwen2.5-7B", 56)])
def test_a_token_of_cache_is_what_one_reads_about_the_model(name: str, kib: int) -> None:
    model = next(model for model in MODELS if model.name == name)
    assert cache_bytes(model, 2) == kib * 1024


def test_the_ridge_of_an_h100_is_at_295() -> None:
    assert GPUS[0].name == "H100 SXM"
    assert GPUS[0].ridge == pytest.approx(295, abs=0.5)


def test_weights_fit_with_room_to_spare_and_cards_are_not_left_empty() -> None:
    placed = list(placements(0.8, 0.1))
    assert {p.n_gpus for p in placed} == {1, 2, 4, 8}
    for p in placed:
        assert 0.1 <= p.weights_gb / (p.n_gpus * p.gpu.memory_gb) <= 0.8
        assert p.n_gpus <= p.gpu.most
    assert not [p for p in placed if p.model.name == "LLaMA-3.1-405B" and p.gpu.name in ("L4", "RTX 4090")]
