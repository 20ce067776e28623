"""The set-up script, played with a Python of our own that only notes what it was asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "venv.sh"
WORDS = SCRIPT.read_text("utf-8")

PYTHON = """#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
*"version_info[:2]"*) echo "$VERSION" ;;
*"version_info < "*) case $VERSION in 3.1[1-9]) exit 0 ;; *) exit 1 ;; esac ;;
*"import ensurepip"*) exit "${NO_ENSUREPIP:-0}" ;;
*"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
*"import torch"*) exit "${TORCH_FAILS:-0}" ;;
*"-r requirements.lock"*) exit "${LOCK_FAILS:-0}" ;;
esac
"""


class Checkout:
    """A folder with what the script reads, and a PATH whose only Pythons are ours."""

    def __init__(self, root: Path) -> None:
        self.folder, self.calls = root / "a checkout", root / "calls"
        (self.folder / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPT, self.folder / "scripts")
        for name in ("requirements.lock", "pyproject.toml"):
            (self.folder / name).write_text(f"of {name}\n")
        self.bin = root / "bin"
        self.bin.mkdir()
        for tool in ("sh", "cat", "cksum", "cp", "mkdir", "mv", "rm"):
            found = shutil.which(tool)
            assert found, tool
            (self.bin / tool).symlink_to(found)
        self.python("python3")

    def python(self, name: str) -> None:
        (self.bin / name).write_text(PYTHON)
        (self.bin / name).chmod(0o755)

    def run(self, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        self.calls.write_text("")
        own = {"PATH": str(self.bin), "CALLS": str(self.calls), "VERSION": "3.11", "TORCH": "9.9"}
        return subprocess.run(
            [str(self.folder / "scripts" / "venv.sh")],
            cwd=cwd or self.folder,
            env={**own, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    @property
    def asked(self) -> str:
        return self.calls.read_text()

    @property
    def stamp(self) -> Path:
        return self.folder / ".venv" / ".setup-stamp"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_fresh_checkout_gets_torch_then_the_lock_then_the_tutor(checkout: Checkout) -> None:
    ended = checkout.run()

    assert ended.returncode == 0, ended.stderr
    pips = [line.split("install ")[1] for line in checkout.asked.splitlines() if "pip" in line and "install " in line]
    assert [pip.split()[-1] for pip in pips] == ["torch==9.9", "requirements.lock", "."]
    assert all("--no-deps" in pip for pip in pips)
    assert "--require-hashes" in pips[1]
    assert "--no-build-isolation" in pips[2]
    assert checkout.stamp.exists()


def test_a_second_run_installs_nothing(checkout: Checkout) -> None:
    checkout.run()

    assert checkout.run().returncode == 0
    assert checkout.asked == "-c import tutor\n"


def test_a_changed_lock_is_installed_over_what_is_there(checkout: Checkout) -> None:
    checkout.run()
    (checkout.folder / "requirements.lock").write_text("of another day\n")

    assert checkout.run().returncode == 0
    assert "requirements.lock" in checkout.asked
    assert "-m venv" not in checkout.asked


def test_a_cut_off_set_up_starts_from_scratch(checkout: Checkout) -> None:
    assert checkout.run(LOCK_FAILS="1").returncode == 1
    assert not checkout.stamp.exists()
    leftover = checkout.folder / ".venv" / "half"
    leftover.write_text("installed in part")

    assert checkout.run().returncode == 0
    assert "-m venv" in checkout.asked
    assert not leftover.exists()


def test_an_update_that_fails_is_not_taken_for_a_whole_one(checkout: Checkout) -> None:
    checkout.run()
    (checkout.folder / "requirements.lock").write_text("of another day\n")

    ended = checkout.run(LOCK_FAILS="1")

    assert ended.returncode == 1
    assert "the libraries could not be installed. Mend what is named above" in ended.stderr
    assert not checkout.stamp.exists()


def test_a_moved_checkout_starts_from_scratch(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run()
    checkout.folder = checkout.folder.rename(tmp_path / "elsewhere")

    assert checkout.run().returncode == 0
    assert "-m venv" in checkout.asked


def test_a_python_that_went_away_under_the_stamp_starts_from_scratch(checkout: Checkout) -> None:
    checkout.run()
    (checkout.folder / ".venv" / "bin" / "python").unlink()

    assert checkout.run().returncode == 0
    assert "-m venv" in checkout.asked


def test_an_old_python_is_a_sentence_with_what_to_do(checkout: Checkout) -> None:
    ended = checkout.run(VERSION="3.9")

    assert ended.returncode == 1
    assert "Python 3.11 or newer is needed. python3 is 3.9." in ended.stderr
    assert "apt install python3 python3-venv" in ended.stderr
    assert not (checkout.folder / ".venv").exists()


def test_no_python_at_all_is_a_sentence_too(checkout: Checkout) -> None:
    (checkout.bin / "python3").unlink()

    assert "Python 3.11 or newer is needed. On Debian 12" in checkout.run().stderr


def test_a_newer_python_beside_an_old_one_is_found(checkout: Checkout) -> None:
    (checkout.bin / "python3").write_text("#!/bin/sh\necho 3.9\nexit 1\n")
    checkout.python("python3.12")

    assert "a fresh .venv with python3.12" in checkout.run().stdout


def test_the_python_named_by_the_person_comes_first(checkout: Checkout) -> None:
    checkout.python("mine")

    assert "a fresh .venv with mine" in checkout.run(PYTHON="mine").stdout


def test_a_python_without_venv_names_the_package_to_install(checkout: Checkout) -> None:
    ended = checkout.run(NO_ENSUREPIP="1")

    assert ended.returncode == 1
    assert "sudo apt install python3-venv" in ended.stderr


def test_a_torch_for_graphics_cards_says_how_to_take_the_other_build(checkout: Checkout) -> None:
    ended = checkout.run(TORCH_FAILS="1")

    assert ended.returncode == 1
    assert "make setup TORCH_ARGS=" in ended.stderr
    assert not checkout.stamp.exists()


def test_more_arguments_for_torch_reach_torch_alone(checkout: Checkout) -> None:
    checkout.run(TORCH_ARGS="--index-url here")

    assert [line for line in checkout.asked.splitlines() if "--index-url here" in line] == [
        "-m pip --disable-pip-version-check --no-input install --no-deps --index-url here torch==9.9"
    ]


def test_only_its_own_checkout_is_touched_wherever_it_is_called_from(checkout: Checkout, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".venv").mkdir(parents=True)
    (other / ".venv" / "kept").write_text("of another project")

    assert checkout.run(cwd=other).returncode == 0
    assert checkout.stamp.exists()
    assert [path.name for path in (other / ".venv").iterdir()] == ["kept"]


def test_a_folder_that_is_no_checkout_is_left_alone(checkout: Checkout) -> None:
    (checkout.folder / ".venv").mkdir()
    (checkout.folder / "requirements.lock").unlink()

    ended = checkout.run()

    assert ended.returncode == 1
    assert "is not a checkout of the tutor" in ended.stderr
    assert (checkout.folder / ".venv").is_dir()


def test_the_script_is_run_as_it_stands() -> None:
    assert os.access(SCRIPT, os.X_OK)
    assert WORDS.startswith("#!/bin/sh\n")
