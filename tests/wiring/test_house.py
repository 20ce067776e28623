"""A house opens in order, closes in reverse, and grades a file without touching the database."""

from __future__ import annotations

import json
import os
import wave
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fake_openai_server import FakeOpenAIServer
from tests.fakes import FakeClock
from tutor.adapters.tracker_sql import SqlTracker
from tutor.errors import AudioRefused, BankError, SettingsError, TrackerError, WeightsError
from tutor.labelled import AnswerLine
from tutor.settings import Settings
from tutor.spoken import Take, TakeState
from tutor.states import JobState
from tutor.wiring import grade_lines, open_house, read_answers
from tutor.wiring.house import DATABASE, TAKES


def test_an_answer_waits_and_fails_with_a_sentence_when_no_model_answers(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, chat_url="http://127.0.0.1:9/v1", embedder=tmp_path)
    with open_house(settings) as house:
        question = house.practice.suggest().question
        job = house.practice.submit("a1", question.id, "Decode reads all the weights for each token it makes.")
        *_, last = house.practice.watch(job.id)
        assert last.job.state is JobState.FAILED
        assert last.job.reason
        assert house.practice.attempts() == ()
        assert house.practice.answer(last.job).text.startswith("Decode reads")


# -- recordings ------------------------------------------------------------------------------


def deaf(tmp_path: Path, **more: int) -> Settings:
    """A house whose speech server does not answer."""
    nobody = "http://127.0.0.1:9/v1"
    return Settings(data_dir=tmp_path / "own", chat_url=nobody, speech_url=nobody, embedder=tmp_path, **more)


def wav(tmp_path: Path) -> str:
    """Two seconds of a buzz."""
    file = tmp_path / "upload.wav"
    with wave.open(str(file), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes((b"\x00\x20" * 80 + b"\x00\xe0" * 80) * 200)
    return str(file)


def test_a_recording_without_speech_is_kept_privately_over_a_restart_and_can_be_answered_to(tmp_path: Path) -> None:
    with open_house(deaf(tmp_path)) as house:
        question = house.practice.suggest().question
        house.booth.keep("k1", question.id, wav(tmp_path))
        with pytest.raises(AudioRefused, match="No speech was heard"):
            house.booth.transcribe("k1")
    folder = tmp_path / "own" / TAKES
    assert (folder.stat().st_mode | (folder / "k1.wav").stat().st_mode) & 0o077 == 0
    with open_house(deaf(tmp_path)) as house:
        assert house.booth.recording_path("k1") == str(folder / "k1.wav")
        job = house.practice.submit("a1", question.id, "Decode reads all the weights for each token.", take_id="k1")
        assert house.practice.answer(job).take_id == "k1"


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The folder of the takes as a killed process left it long ago: one take is old, one never stopped."""
    folder = tmp_path / "own" / TAKES
    folder.mkdir(parents=True)
    clock = FakeClock()
    tracker = SqlTracker(folder.parent / DATABASE, clock)
    for id in ("old", "torn"):
        (folder / f"{id}.wav").write_bytes(b"RIFF")
        tracker.keep(Take(id=id, state=TakeState.RECORDING, question_id="q01", started_at=clock.now()))
    tracker.stopped("old", "old.wav", clock.now() + timedelta(minutes=2))
    tracker.close()
    return folder


@pytest.mark.parametrize(("days", "files"), [(30, []), (0, ["old.wav", "torn.wav"])], ids=["30 days", "for ever"])
def test_a_start_finds_what_a_crash_tore_apart_and_deletes_what_is_too_old(
    tmp_path: Path, left: Path, days: int, files: list[str]
) -> None:
    with open_house(deaf(tmp_path, takes_days=days)) as house:
        assert sorted(file.name for file in left.iterdir()) == files
        takes = [house.booth.take(id) for id in ("old", "torn")]
        assert [take and take.state for take in takes] == [TakeState.STOPPED] * 2
        assert [take.file_name for take in takes if take and take.file_name] == files


def test_recordings_that_cannot_be_looked_through_are_no_reason_not_to_start(
    tmp_path: Path, left: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (left / "old.wav").unlink()
    (left / "old.wav").mkdir()
    with open_house(deaf(tmp_path)) as house:
        assert house.practice.suggest()
    assert "looked through again at the next start: Cannot delete the recording" in caplog.text


# -- one house, closed again -----------------------------------------------------------------


def test_a_second_house_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, chat_url="http://127.0.0.1:9/v1", embedder=tmp_path)
    with open_house(settings), pytest.raises(TrackerError, match="already running"), open_house(settings):
        pass
    with open_house(settings):
        pass


def test_what_was_opened_is_closed_when_a_later_room_fails(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    for _ in range(2):  # a lock left behind would change the second error
        with pytest.raises(WeightsError), open_house(settings):
            pass


def test_a_data_folder_that_is_a_file_is_a_sentence(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.touch()
    with pytest.raises(SettingsError, match="TUTOR_DATA_DIR"), open_house(Settings(data_dir=place)):
        pass


def test_the_data_folder_is_private(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "own", chat_url="http://127.0.0.1:9/v1", embedder=tmp_path)
    with open_house(settings):
        assert os.stat(tmp_path / "own").st_mode & 0o077 == 0
        assert os.stat(tmp_path / "own" / DATABASE).st_mode & 0o077 == 0


def test_an_answer_to_an_unknown_question_is_named_before_anything_loads(tmp_path: Path) -> None:
    line = AnswerLine(question_id="q99", answer_id="a", answer="x")
    with pytest.raises(BankError, match=r"'q99' of answer 'a' is not in the bank"):
        list(grade_lines(Settings(data_dir=tmp_path), [line], None))


@pytest.mark.real
def test_a_file_is_graded_in_its_order_with_any_server_and_leaves_no_database(
    tmp_path: Path, weights_dir: Path, devset_dir: Path
) -> None:
    lines = (devset_dir / "answers.jsonl").read_text(encoding="utf-8").splitlines()[:3]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    answers = read_answers(file, with_labels=False)
    with FakeOpenAIServer() as server:
        settings = Settings(data_dir=tmp_path / "own", weights_dir=weights_dir, chat_url=server.endpoint.url)
        grades = list(grade_lines(settings, answers, devset_dir / "bank.jsonl"))
    assert [g.answer_id for g in grades] == [json.loads(line)["answer_id"] for line in reversed(lines)]
    for grade, line in zip(grades, answers, strict=True):
        assert all(line.answer[c.start : c.end] == c.quote for c in grade.criteria if c.quote is not None)
    assert not (tmp_path / "own" / DATABASE).exists()
