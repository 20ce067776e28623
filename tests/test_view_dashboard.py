"""What the dashboard says: which topics are weak and why, in words and signs, for none, one and many attempts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser import scene, topics
from tests.browser.scene import HOSTILE
from tests.grades import FINGERPRINT, ruling
from tests.test_view import TAGS, Tags, words
from tutor import view
from tutor.progress import TopicProgress
from tutor.schedule import Standing, standings
from tutor.values import Attempt, Verdict
from tutor.view.dashboard import topic_link, trend_text

NOW = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
OTHER = FINGERPRINT.model_copy(update={"id": "ba9876543210", "chat_model": "another-model"})


def many(n: int = 200) -> tuple[Standing, ...]:
    return standings(topics.BANK.questions(), topics.attempts(n, NOW)[::-1], NOW)


def standing(due: int | None = 1, is_due: bool = True, **facts: object) -> Standing:
    seen = NOW if facts.get("n_attempts") else None
    topic = TopicProgress(**{"topic": "Serving", "n_questions": 2, "last_seen": seen, **facts})
    return Standing(topic, None if due is None else date(2026, 3, due), is_due)


def shown(*rows: Standing) -> str:
    return view.dashboard(rows, UTC)


def said(*rows: Standing) -> str:
    return words(shown(*rows))


def test_before_the_first_attempt_it_invites_an_answer() -> None:
    for rows in ((), many(0)):
        made = shown(*rows)
        assert "Nothing answered yet" in words(made)
        assert [value for name, value in Tags(made).attributes if name == "href"] == ["/"]
        assert "<table" not in made


def test_one_attempt_is_the_weakest_topic_with_its_reason_and_a_way_to_practise_it() -> None:
    (only,) = scene.attempts(1)
    rows = standings(scene.BANK.questions(), [only], NOW)
    told = said(*rows)
    order = [
        "Weakest topic",
        "quantization",
        "62 of 100 at your only attempt. Still open from last time:",
        "– missed Weight-only kernels",
        "✕ wrong Activations stay",
        "and 1 more",
        "due now · last seen 1 Feb 2026",
        "Practise this topic: quantization",
        "All topics",
        "1 of 1 question tried",
        "not tried",
    ]
    places = [told.index(part) for part in order]
    assert places == sorted(places)
    assert "Weakest topics" not in told


def test_many_attempts_show_three_weakest_topics_in_order_and_every_topic_in_the_banks_order() -> None:
    rows = many()
    made = shown(*rows)
    weak, table = str(made).split("All topics")
    assert Tags(weak).tags.count("h3") == 3
    means = [s.progress.mean for s in rows if words(weak).find(s.progress.topic) >= 0]
    others = [s.progress.mean for s in rows if s.is_due and s.progress.mean not in means]
    assert max(means) <= min(others)
    names = [words(table).index(s.progress.topic) for s in rows]
    assert names == sorted(names)
    assert "!" not in words(made)


def test_the_table_has_headers_a_name_and_a_cell_for_each_column() -> None:
    made = shown(*many())
    found = Tags(made)
    assert [found.tags.count(tag) for tag in ("table", "thead", "tbody")] == [1, 1, 1]
    scopes = [value for name, value in found.attributes if name == "scope"]
    assert (scopes.count("col"), scopes.count("row")) == (6, 12)
    assert found.tags.count("td") == 12 * 5
    # The heading names it.
    assert ("aria-labelledby", "topics") in found.attributes
    assert ("id", "topics") in found.attributes


def test_a_topic_without_a_score_never_shows_a_zero() -> None:
    told = said(standing(n_attempts=1, n_answered=1), standing(topic="New", due=None, is_due=False))
    assert "No score yet after 1 attempt." in told
    assert "no score" in told
    assert "0 of 100" not in told


def test_a_mean_of_zero_is_shown_as_zero() -> None:
    assert "0 of 100 at your only attempt" in said(standing(n_attempts=1, n_answered=1, n_scored=1, mean=0.0))


def test_when_a_topic_is_due_is_a_word_or_a_day() -> None:
    assert "due now" in said(standing(n_attempts=1))
    later = said(standing(n_attempts=1, due=9, is_due=False))
    assert "due 9 Mar 2026" in later
    assert "due now" not in later


def test_several_questions_tell_how_many_attempts_stand_behind_the_mean() -> None:
    told = said(standing(n_attempts=7, n_answered=2, n_scored=2, mean=0.5))
    assert "50 of 100 on average over 2 questions." in told
    assert "due now · 7 attempts · last seen 20 Mar 2026" in told


@pytest.mark.parametrize(
    ("trend", "sign", "sentence"),
    [
        (None, "", ""),
        (0.0, "=", "steady"),
        (0.049, "=", "steady"),
        (0.3, "▲", "30 higher than before"),
        (-0.05, "▼", "5 lower than before"),
    ],
)
def test_a_trend_is_told_by_sign_and_words(trend: float | None, sign: str, sentence: str) -> None:
    told = said(standing(n_attempts=6, n_scored=2, mean=0.5, trend=trend))
    assert trend_text(trend)[0] == sign
    assert sentence in told
    assert [mark for mark in "▲▼=" if mark in told] == ([sign] if sign else [])


def test_a_mean_of_two_graders_says_so_and_names_them() -> None:
    told = said(standing(n_attempts=2, n_scored=2, mean=0.5, graders=(OTHER, FINGERPRINT)))
    assert "≠ mixed graders" in told
    assert "mixes grades of another-model (ba9876543210) and fake-chat (0123456789ab)" in told
    assert "≠" not in said(standing(n_attempts=2, n_scored=2, mean=0.5, graders=(OTHER,)))


def test_a_topic_that_left_the_bank_is_shown_without_a_link() -> None:
    made = shown(standing(due=None, is_due=False, n_attempts=3, n_scored=1, mean=0.4, n_questions=0))
    assert "no longer in the bank" in words(made)
    assert "Weakest" not in words(made)
    assert "href" not in {name for name, _ in Tags(made).attributes}


def test_points_without_a_miss_leave_no_empty_list() -> None:
    made = shown(standing(n_attempts=1, n_scored=1, mean=1.0))
    assert "Still open" not in words(made)
    assert "points" not in str(made)
    missed = (ruling("c0", Verdict.MISSED),)
    assert "more" not in said(standing(n_attempts=1, n_scored=1, mean=0.1, missed=missed))


def test_hostile_topics_and_points_stay_words() -> None:
    point = ruling("c0", Verdict.MISSED).model_copy(update={"text": HOSTILE})
    model = OTHER.model_copy(update={"chat_model": HOSTILE})
    row = standing(topic=HOSTILE, n_attempts=2, n_scored=2, mean=0.1, missed=(point,), graders=(model, FINGERPRINT))
    found = Tags(shown(row))
    assert set(found.tags) <= TAGS | {"section", "h3", "table", "thead", "tbody", "tr", "th", "td"}
    known = {"class", "aria-hidden", "aria-labelledby", "href", "id", "role", "scope", "data-name", "style"}
    assert {name for name, _ in found.attributes} <= known
    assert all(value.startswith("/?topic=%3Cscript%3E") for name, value in found.attributes if name == "href")
    assert found.words.count(HOSTILE) >= 4


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_a_topics_link_carries_exactly_its_name(topic: str) -> None:
    link = urlsplit(topic_link(topic))
    assert (link.scheme, link.netloc, link.path, link.fragment) == ("", "", "/", "")
    assert parse_qs(link.query, strict_parsing=True) == {"topic": [topic]}


# -- history ---------------------------------------------------------------------------------


def listed(attempts: Sequence[Attempt], page: str = "") -> str:
    return view.history(attempts, (), {}, UTC, page)


def test_the_history_of_another_page_opens_attempts_where_they_can_be_read() -> None:
    made = listed(scene.attempts(2)[::-1], page="/")
    assert [value for name, value in Tags(made).attributes if name == "href"] == ["/?attempt=t1", "/?attempt=t0"]


def test_a_spoken_attempt_is_marked_as_such() -> None:
    spoken, typed = topics.attempts(2, NOW)
    assert "spoken, 20 Mar 2026, 06:00" in words(listed([spoken]))
    assert "spoken" not in words(listed([typed]))


def by(attempt: Attempt, **changes: str) -> Attempt:
    fingerprint = FINGERPRINT.model_copy(update={"id": "new", **changes})
    return attempt.model_copy(update={"grade": attempt.grade.model_copy(update={"fingerprint": fingerprint})})


def test_a_mark_stands_where_the_grader_changes_and_nowhere_else() -> None:
    old, new, newest = topics.attempts(3, NOW)
    old, new, newest = by(old, id="old", chat_model="first"), by(new, chat_model="x<y"), by(newest, chat_model="x<y")
    told = words(listed([newest, new, old]))
    mark = "Graded by another model from here on: x<y. Before: first."
    assert told.count("from here on") == 1
    assert told.index(mark) > told.index(view.name(new.question))
    assert told.index(mark) < told.index(view.name(old.question))


def test_the_same_model_in_another_way_is_marked_too() -> None:
    old, new = topics.attempts(2, NOW)
    told = words(listed([by(new, prompt="p2"), by(old, id="old")]))
    assert "Graded in another way from here on, by the same model (fake-chat)." in told


def test_moments_in_the_table_are_days_on_the_screens_clock() -> None:
    late = standing(n_attempts=1, last_seen=NOW + timedelta(hours=11, minutes=30))
    assert "last seen 20 Mar 2026" in said(late)
