"""A bank's files as JSON, which is YAML: a field a line gives each one its own place."""

from __future__ import annotations

import json
from pathlib import Path


def write(folder: Path, name: str, tree: object) -> None:
    """Write `<folder>/<name>.yaml`."""
    (folder / f"{name}.yaml").write_text(json.dumps(tree, indent=1), encoding="utf-8")
