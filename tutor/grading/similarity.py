"""Which segments of the answer are nearest to a criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Three segments in the order of the answer were better evidence for a small judge than the whole answer.
NEAREST = 3


@dataclass(frozen=True)
class Evidence:
    """The nearest segments of one criterion.

    Attributes:
        indices: Positions of the nearest segments, in the order of the answer.
        cosines: Their cosines with the criterion, in [-1, 1].
    """

    indices: tuple[int, ...]
    cosines: tuple[float, ...]

    @property
    def cosine(self) -> float:
        """Cosine of the nearest segment."""
        return max(self.cosines)


def nearest(
    criteria: NDArray[np.float32], segment_vectors: NDArray[np.float32], count: int = NEAREST
) -> tuple[Evidence, ...]:
    """Evidence for each criterion.

    Args:
        criteria: Unit vectors, shape (criteria, dimensions).
        segment_vectors: Unit vectors, shape (segments, dimensions), at least one.
        count: How many segments to take at the most.

    >>> import numpy as np
    >>> nearest(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32)[::-1], count=1)[0].indices
    (1,)
    """
    found: list[Evidence] = []
    for row in criteria @ segment_vectors.T:
        indices = tuple(sorted(int(i) for i in np.argsort(-row, kind="stable")[:count]))
        found.append(Evidence(indices, tuple(float(row[i]) for i in indices)))
    return tuple(found)
