"""What the README repeats of the code, written by cog (`make docs`, checked by `make check`)."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from tutor import errors
from tutor.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[1]


def map_of_rooms() -> str:
    """Every room of the program with the first line of its docstring."""
    rows = ["| where | what |", "|---|---|"]
    for path in _rooms(ROOT / "tutor"):
        is_package = path.name == "__init__.py"
        name = (path.parent if is_package else path).relative_to(ROOT).as_posix() + "/" * is_package
        rows.append(f"| `{name}` | {_first_line(path)} |")
    return "\n".join(rows)


def settings_table() -> str:
    """Every setting with its default and what it does."""
    rows = ["| environment variable | default | what it does |", "|---|---|---|"]
    for name, field in sorted(Settings.model_fields.items()):
        rows.append(f"| `{PREFIX}{name.upper()}` | {_default(name, field.default)} | {field.description} |")
    return "\n".join(rows)


def error_tree() -> str:
    """The tree drawn in the docstring of the errors' module."""
    tree = inspect.getdoc(errors) or ""
    return "```text\n" + tree.split("\n\n", 1)[1].strip() + "\n```"


def _rooms(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir(), key=lambda p: (p.is_dir(), p.name)):
        if path.is_dir() and (path / "__init__.py").exists():
            yield path / "__init__.py"
            if path.name in ("adapters", "grading", "web"):
                yield from (p for p in _rooms(path) if p != path / "__init__.py")
        elif path.suffix == ".py" and path.name not in ("__init__.py", "__main__.py"):
            yield path


def _first_line(path: Path) -> str:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return doc.split("\n\n", 1)[0].replace("\n", " ").replace("|", "\\|")


def _default(name: str, default: object) -> str:
    computed = {"data_dir": "the platform's data folder", "chat_threads": "all cores"}
    return computed.get(name) or ("-" if default is None else f"`{str(default).lower()}`")
