"""The nearest segments of a criterion, in the order of the answer."""

from __future__ import annotations

import numpy as np

from tests.fakes import FakeEmbedder
from tutor.grading.similarity import nearest


def test_the_nearest_segments_come_in_the_order_of_the_answer() -> None:
    embed = FakeEmbedder().embed
    pieces = ["cats sleep", "decode reads weights", "dogs bark", "weights are many", "decode is slow"]
    (evidence,) = nearest(embed(["decode reads all weights"]), embed(pieces), count=3)
    assert evidence.indices == (1, 3, 4)
    assert evidence.cosines[0] == evidence.cosine
    assert 0.8 < evidence.cosine <= 1.0


def test_fewer_segments_than_asked_for_are_all_taken() -> None:
    (evidence,) = nearest(np.eye(1, 4, dtype=np.float32), np.eye(2, 4, dtype=np.float32))
    assert evidence.indices == (0, 1)
