"""Sentence embeddings by sentence-transformers from a local folder; nothing is ever fetched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tutor.errors import EngineDown

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SbertEmbedder:
    """Embeds short texts on the CPU; the model is loaded at the first use, once, by whichever thread comes first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._model: SentenceTransformer | None = None

    @property
    def name(self) -> str:
        """The folder's name, for the fingerprint."""
        return self._folder.name

    def load(self) -> SentenceTransformer:
        """The model, loaded now if it was not. Raises EngineDown with what to do."""
        with self._lock:
            if self._model is None:
                # Importing torch takes seconds: the page must not wait for it.
                from sentence_transformers import SentenceTransformer
                from transformers.utils import logging as transformers_logging

                # Its progress bar would run through the page's address and the doctor's lines.
                transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
                try:
                    self._model = SentenceTransformer(str(self._folder), device="cpu", local_files_only=True)
                except (OSError, ValueError, KeyError) as e:
                    raise EngineDown(
                        f"The embedding model in {self._folder} could not be loaded ({type(e).__name__}). "
                        "Run `make setup` again, or correct TUTOR_EMBEDDER."
                    ) from e
            return self._model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). Raises EngineDown."""
        vectors = self.load().encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)
