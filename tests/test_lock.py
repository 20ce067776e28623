"""The lock: every library pinned with its digests, none missing, no place to fetch from named."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
BLOCKS = [block for block in re.split(r"^(?=[^ #\n])", LOCK, flags=re.MULTILINE) if not block.startswith("#")]
TORCH = re.search(r"^export TORCH := (\S+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
# Built in pieces so that this file does not name what it looks for.
HOST = re.compile(r"https?:" + r"//|--(extra-)?index|--find-links|--trusted|[a-z0-9-]+\.(org|com|io|net)\b")


def requirement(block: str) -> Requirement:
    return Requirement(block.split("\\")[0].strip())


LOCKED = {(pin.name, str(pin.marker or "")): pin for pin in map(requirement, BLOCKS)}
NAMES = {canonicalize_name(name) for name, _ in LOCKED}


def test_the_lock_is_read_at_all() -> None:
    assert len(BLOCKS) > 80


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[0])
def test_a_library_is_pinned_exactly_and_with_digests(block: str) -> None:
    (pin,) = requirement(block).specifier

    assert pin.operator == "=="
    assert "*" not in pin.version
    assert re.findall(r"--hash=sha256:[0-9a-f]{64}\b", block)
    assert len(re.findall("--hash=", block)) == len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", block))


def test_no_library_is_pinned_twice_for_the_same_machine() -> None:
    assert len(LOCKED) == len(BLOCKS)


def test_the_lock_names_no_place_to_fetch_from() -> None:
    assert HOST.findall(LOCK) == []


def test_the_place_finder_would_notice_one() -> None:
    assert HOST.search("--extra-" + "index-url x")
    assert HOST.search("http" + "s://x")


def test_torch_and_the_libraries_for_graphics_cards_stay_outside() -> None:
    assert {name for name in NAMES if re.match(r"torch$|triton|nvidia|cuda", name)} == set()


def test_torch_is_pinned_by_the_makefile_within_what_the_project_allows() -> None:
    allowed = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    (torch,) = (line for line in allowed if line.name == "torch")

    assert TORCH is not None
    assert TORCH[1] in torch.specifier


@pytest.mark.parametrize("extra", ["dependencies", "dev"])
def test_everything_the_project_asks_for_is_in_the_lock_in_an_allowed_version(extra: str) -> None:
    project = PROJECT["project"]
    asked = project["dependencies"] if extra == "dependencies" else project["optional-dependencies"][extra]
    for line in map(Requirement, asked):
        pins = [pin for (name, _), pin in LOCKED.items() if canonicalize_name(name) == canonicalize_name(line.name)]
        assert pins or line.name == "torch", f"{line.name} is not locked; run `make lock`"
        for pin in pins:
            (version,) = pin.specifier
            assert version.version in line.specifier, f"{pin} is not what {line} allows; run `make lock`"


def test_what_builds_the_project_is_locked_too() -> None:
    for line in PROJECT["build-system"]["requires"]:
        assert canonicalize_name(Requirement(line).name) in NAMES


def test_every_locked_library_is_named_with_its_licence() -> None:
    page = (ROOT / "THIRD_PARTY.md").read_text("utf-8")
    wanted = {pin.name for pin in LOCKED.values() if '== "emscripten"' not in str(pin.marker)}

    assert {name for name in wanted | {"torch"} if f"\n| {name} | " not in page} == set()
    assert "not declared" not in page
