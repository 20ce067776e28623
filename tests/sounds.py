"""Recordings made of arithmetic: silence, noise, and something with the shape of speech."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tutor.ports import SAMPLE_RATE_HZ


def silence(seconds: float) -> NDArray[np.float32]:
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), dtype=np.float32)


def noise(seconds: float, level: float = 0.1) -> NDArray[np.float32]:
    drawn = np.random.default_rng(7).normal(0, level, round(seconds * SAMPLE_RATE_HZ))
    return np.clip(drawn, -1, 1).astype(np.float32)


def speechlike(seconds: float) -> NDArray[np.float32]:
    """A buzz of 120 Hz that swells four times a second; no recogniser takes it for words."""
    t = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    buzz = sum(np.sin(2 * np.pi * 120 * k * t) / k for k in range(1, 12))
    return (0.2 * buzz * np.sin(2 * np.pi * 2 * t) ** 2).astype(np.float32)
