"""The settings page's verbs over a folder of the test, with tests of engines that do what their files say."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tutor.errors import EngineDown
from tutor.settings import PREFIX, load, settings_file
from tutor.states import DataFacts, EngineState
from tutor.wiring.preferences import Preferences

HOSTILE = "<img src=x onerror='window.stolen=1'> [link](javascript:window.stolen=1) **bold** `code`"
FACTS = DataFacts(
    database="/home/ada/.local/share/tutor/tutor.sqlite",
    database_bytes=2_621_440,
    n_recordings=12,
    recordings_bytes=9_500_000,
    n_backups=3,
    free_bytes=81_000_000_000,
    hosts=(),
)


def preferences(folder: Path) -> Preferences:
    """Verbs over `FOLDER/data`; `FOLDER/environment` holds lines of NAME=VALUE as a person would export them.

    The grading model does not work while there is a file `FOLDER/down`; the speech model takes until there is a file
    `FOLDER/heard`; the embedding model is loading for ever where there is a file `FOLDER/loading`.
    """
    set_environment(folder)

    def grade() -> str:
        if (folder / "down").exists():
            raise EngineDown(f"The model server at {HOSTILE} does not answer. Start it, then test again.")
        return "One ruling took 1.3 s and was right. qwen2.5: log probabilities yes, schema yes, reuse of a prompt yes."

    def embed() -> str:
        return "Two sentences that say the same are 0.83 alike, two that do not 0.04. all-MiniLM-L6-v2, 384 dimensions."

    def hear() -> str:
        while not (folder / "heard").exists():
            time.sleep(0.05)
        return "It heard rightly that a silent second has no words, in 0.9 s. whisper base int8."

    def states() -> tuple[EngineState, ...]:
        return (EngineState("embedding model", "loading" if (folder / "loading").exists() else "ready"),)

    return Preferences(
        load(os.environ),
        file=settings_file(),
        given=(),
        facts=lambda: FACTS,
        states=states,
        looks={"grading model": grade, "embedding model": embed, "speech model": hear},
    )


def set_environment(folder: Path) -> None:
    """Nothing of the tester's own settings, a data folder of the test, and what the test exports."""
    own = folder / "data"
    own.mkdir(exist_ok=True)
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]
    os.environ["TUTOR_DATA_DIR"] = str(own)
    if (folder / "environment").exists():
        os.environ.update(line.split("=", 1) for line in (folder / "environment").read_text().splitlines())
