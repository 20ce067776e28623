"""What the README repeats of the code, written by cog (`make docs`, checked by `make check`)."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

from tutor import errors
from tutor.adapters.bank_yaml import contents
from tutor.drills import FAMILIES
from tutor.settings import PREFIX, Settings
from tutor.wiring.checking import set_counts

ROOT = Path(__file__).resolve().parents[1]


def map_of_rooms() -> str:
    """The rooms of the program with the first line of their docstrings."""
    return _map(
        [
            path
            for path in _rooms(ROOT / "tutor")
            if len(path.relative_to(ROOT / "tutor").parts) <= 2
            and (path.parent == ROOT / "tutor" or path.name == "__init__.py")
        ]
    )


def map_of_files() -> str:
    """Every file of the program with the first line of its docstring."""
    return _map(_rooms(ROOT / "tutor"))


def _map(paths: Iterable[Path]) -> str:
    rows = ["| where | what |", "|---|---|"]
    for path in paths:
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


def bank_table() -> str:
    """The sets of questions that come along, with what each holds, and the families of drills."""
    rows = ["| set | questions | criteria | figures |", "|---|--:|--:|--:|"]
    counts = {name: (n.questions, n.criteria, n.figures) for name, n in set_counts(contents(ROOT)).items()}
    rows += [f"| `data/{name}.yaml` | {' | '.join(map(str, count))} |" for name, count in counts.items()]
    whole = " | ".join(str(sum(column)) for column in zip(*counts.values(), strict=True))
    titles = [f"- {family.title.removeprefix('Drill: ')}" for family in FAMILIES.values()]
    folded = [
        "<details>",
        f"<summary>{len(FAMILIES)} families of drills</summary>",
        "",
        *sorted(titles),
        "",
        "</details>",
    ]
    return "\n".join([*rows, f"| all | {whole} |", "", *folded])


def error_tree() -> str:
    """The tree drawn in the docstring of the errors' module."""
    tree = inspect.getdoc(errors) or ""
    return "```text\n" + tree.split("\n\n", 1)[1].strip() + "\n```"


def _rooms(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir(), key=lambda p: (p.is_dir(), p.name)):
        if path.is_dir() and (path / "__init__.py").exists():
            yield path / "__init__.py"
            yield from (p for p in _rooms(path) if p != path / "__init__.py")
        elif path.suffix == ".py" and path.name not in ("__init__.py", "__main__.py"):
            yield path


def _first_line(path: Path) -> str:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return doc.split("\n\n", 1)[0].replace("\n", " ").replace("|", "\\|")


def _default(name: str, default: object) -> str:
    computed = {"data_dir": "the platform's data folder", "chat_threads": "all cores", "speech_threads": "all cores"}
    return computed.get(name) or ("-" if default is None else f"`{str(default).lower()}`")
