"""The report of `tutor bank verify` that comes along is about the bank as it is, and the bank keeps the marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.adapters.bank_yaml import shipped_folder
from tutor.settings import Settings
from tutor.verification import MEDIAN_MARK, Verification
from tutor.wiring.verifying import bank_cases

FILE = shipped_folder() / "data" / "verified.json"
AGAIN = "run `tutor bank verify --out data/verified.json`; what has not changed is not graded again"
# Questions that miss a mark for a reason that no other wording mends: id -> the reason.
BELOW: dict[str, str] = {
    "q01": "the other answer, s27, builds on this question and does say that prefill and decode have other limits",
    "q13": "the other answer, m08, does say that the traffic of the KV cache remains when the weights shrink",
    "q17": "the other answer, s39, does recommend prefix caching",
    "q20": "the judge takes the size of a cache in s35 for the advice to shrink it; a fault of the grader",
}


@pytest.fixture(scope="module")
def report() -> Verification:
    return Verification.model_validate_json(FILE.read_text(encoding="utf-8"))


def test_the_report_is_about_the_bank_as_it_is(report: Verification, tmp_path: Path) -> None:
    wanted = {case.question.id: case.digest for case in bank_cases(Settings(data_dir=tmp_path))}
    assert {found.question_id: found.digest for found in report.questions} == wanted, AGAIN
    assert {found.fingerprint for found in report.questions} == {report.fingerprint.id}


def test_the_bank_keeps_the_marks(report: Verification) -> None:
    assert (report.median or 0.0) >= MEDIAN_MARK
    assert set(report.below) == set(BELOW)
