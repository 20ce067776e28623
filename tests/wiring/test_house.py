"""A house opens in order, closes in reverse, and grades a file without touching the database."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.fake_openai_server import FakeOpenAIServer
from tutor.errors import BankError, SettingsError, TrackerError, WeightsError
from tutor.labelled import AnswerLine
from tutor.settings import Settings
from tutor.states import JobState
from tutor.wiring import grade_lines, open_house, read_answers
from tutor.wiring.house import DATABASE


def test_an_answer_waits_and_fails_with_a_sentence_when_no_model_answers(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, chat_url="http://127.0.0.1:9/v1", embedder=tmp_path)
    with open_house(settings) as house:
        question = house.practice.next_question()
        job = house.practice.submit("a1", question.id, "Decode reads all the weights for each token it makes.")
        *_, last = house.practice.watch(job.id)
        assert last.job.state is JobState.FAILED
        assert last.job.reason
        assert house.practice.attempts() == ()
        assert house.practice.answer(last.job).text.startswith("Decode reads")


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
