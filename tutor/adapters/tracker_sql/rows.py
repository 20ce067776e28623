"""Values to rows and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from sqlalchemy import Row

from tutor.errors import TrackerError
from tutor.spoken import Take, Transcript
from tutor.states import Job
from tutor.values import Answer, Attempt, Correction, Rubric

Kind = TypeVar("Kind", bound=BaseModel)


def rubric_hash(rubric: Rubric) -> str:
    """SHA-256 of the rubric's JSON, 64 hex digits: the same rubric has the same hash."""
    return hashlib.sha256(rubric.model_dump_json().encode()).hexdigest()


def attempt_row(attempt: Attempt, job_id: str) -> dict[str, Any]:
    """The columns of an attempt; the answer's words stay in their own table."""
    return {
        "id": attempt.id,
        "job_id": job_id,
        "answer_id": attempt.answer.id,
        "question_id": attempt.question.id,
        "topic": attempt.question.topic,
        "created_at": attempt.created_at,
        "score": attempt.grade.score,
        "fingerprint_id": attempt.grade.fingerprint.id,
        "rubric_hash": rubric_hash(attempt.rubric),
        "transcriber": attempt.transcriber,
        "question": attempt.question.model_dump(mode="json"),
        "rubric": attempt.rubric.model_dump(mode="json"),
        "grade": attempt.grade.model_dump(mode="json"),
    }


def take_row(take: Take) -> dict[str, Any]:
    """The columns of a take; its transcript is JSON text, with the recogniser's name beside it."""
    transcript = take.transcript
    return {
        **take.model_dump(exclude={"transcript"}),
        "transcript": transcript and transcript.model_dump_json(),
        "transcriber": transcript and transcript.transcriber,
    }


def to_take(row: Row[Any]) -> Take:
    """A take row as a value. Raises TrackerError."""
    with _readable("take", row.id):
        transcript = None if row.transcript is None else Transcript.model_validate_json(row.transcript)
    return _value(Take, row, transcript=transcript)


def to_answer(row: Row[Any]) -> Answer:
    """An answer row as a value. Raises TrackerError."""
    return _value(Answer, row)


def to_job(row: Row[Any]) -> Job:
    """A job row, with the id of its attempt, as a value. Raises TrackerError."""
    return _value(Job, row)


def to_correction(row: Row[Any]) -> Correction:
    """A correction row as a value. Raises TrackerError."""
    return _value(Correction, row)


def to_attempt(row: Row[Any], answer: Answer) -> Attempt:
    """An attempt row and its answer as a value. Raises TrackerError."""
    return _value(Attempt, row, answer=answer)


def _value(kind: type[Kind], row: Row[Any], **more: Any) -> Kind:
    fields = {name: value for name, value in row._mapping.items() if name in kind.model_fields}
    with _readable(kind.__name__.lower(), fields.get("id")):
        return kind.model_validate({**fields, **more})


@contextmanager
def _readable(name: str, id: object) -> Iterator[None]:
    """Turn what is wrong with the columns of a row into a sentence that names the row."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise TrackerError(
            f"The {name} {id} in the database cannot be read ({field}: {first['msg']}). "
            "Restore a backup, or use the version of the program that wrote it."
        ) from error
