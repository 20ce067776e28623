"""What the screen says: every outcome in words and signs, and no text that can become anything else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.scene import ANSWER, BAD, BANK, CACHE, DECODE, HOSTILE, attempts, graded, ruling
from tests.samples import QUESTION, attempt
from tests.samples import answer as sample_answer
from tutor import view
from tutor.practice import _REFUSALS
from tutor.spoken import Delivery, Doubt, Heard, Spoken, Take, TakeState, Transcript
from tutor.states import EngineState, Job, JobState, Progress
from tutor.values import Answer, Attempt, CriterionVerdict, FigureFinding, Grade, MisconceptionFinding, Verdict

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TAGS = set("div ul li p br span strong q details summary dl dt dd h2 ol a audio button".split())
ATTRIBUTES = set(
    "class aria-hidden aria-label href type controls preload src data-heard data-likely data-start".split()
)


class Tags(HTMLParser):
    """Every tag and attribute in some markup."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(str(source))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def words(source: str) -> str:
    return Tags(str(source).replace("<br>", "\n")).words


def job(state: JobState, reason: str | None = None, id: str = "j1") -> Job:
    return Job(id=id, answer_id="a1", state=state, reason=reason, created_at=NOW, updated_at=NOW)


def decode_attempt(**changes: object) -> Attempt:
    (made,) = attempts(1)
    grade = Grade.model_validate({**dict(made.grade), **changes})
    return made.model_copy(update={"grade": grade})


def take(**changes: object) -> Take:
    stopped = {"id": "t1", "state": TakeState.STOPPED, "question_id": "kv-cache", "started_at": NOW}
    return Take(**{**stopped, "file_name": "t1.wav", **changes})


DELIVERY = Delivery(
    duration_s=161.4,
    target_s=180,
    speech_s=120,
    n_words=312,
    words_per_minute=116.2,
    words_per_minute_of_speech=156.0,
    first_word_s=1.24,
    n_pauses=9,
    n_long_pauses=1,
    longest_pause_s=2.4,
)


def heard(text: str, said: str = "", likely: str = "", *, is_whole: bool = True) -> Heard:
    transcript = Transcript(
        text=text, language="en", words=None, speech=(), duration_s=161.4, transcriber="ear", is_whole=is_whole
    )
    doubts = (Doubt(start=0, end=len(said), heard=said, likely=likely),) if said else ()
    return Heard(take(state=TakeState.TRANSCRIBED, transcript=transcript), doubts, DELIVERY)


@given(st.text())
def test_any_text_comes_back_as_itself_and_as_nothing_else(text: str) -> None:
    made = str(view.safe(text))
    assert set(Tags(made).tags) <= {"br"}
    assert not set("<>\"'`*_[]()#$\\!|~{}").intersection(made.replace("<br>", "").replace("&#", ""))
    again = unescape(made.replace("<br>", "\n"))
    visible = [c for c in text.replace("\t", " " * 4) if c.isprintable() and ord(c) < 0x2000]
    assert [c for c in again if c.isprintable() and ord(c) < 0x2000] == visible


def test_lines_stay_lines_and_nothing_spans_a_line_of_markup() -> None:
    assert view.safe("a\r\nb\rc\n\nd\u2028e") == "a<br>b<br>c<br><br>d<br>e"
    assert "\n" not in view.feedback(decode_attempt())


@pytest.mark.parametrize("hidden", ["\x00", "\x1b", "\u202e", "\u2066", "\ufeff", "\x7f", "\ud83d"])
def test_characters_that_hide_or_reorder_text_are_shown_as_such(hidden: str) -> None:
    assert view.safe(f"a{hidden}b") == "a\ufffdb"


def test_markup_is_only_what_this_program_wrote() -> None:
    made = view.markup("<p>{a}{b}</p>", a=HOSTILE, b=view.markup("<br>"))
    assert Tags(made).tags == ["p", "br"]
    assert words(made).strip() == HOSTILE


@pytest.mark.parametrize(
    "made",
    [
        view.question_card(BAD, HOSTILE),
        view.answer_card(HOSTILE, take()),
        view.check_card(heard(HOSTILE, HOSTILE, HOSTILE), HOSTILE),
        view.trouble_card(take(), HOSTILE),
        view.answer_card(HOSTILE),
        view.answer_card(HOSTILE * 40),
        view.feedback(attempts(3)[2]),
        view.stopped_card(job(JobState.FAILED, HOSTILE)),
        view.progress_card(Progress(job(JobState.QUEUED), (), 1), [EngineState(HOSTILE, "loading")]),
        view.history(attempts(3), [(job(JobState.FAILED), sample_answer())], {"kv-cache": HOSTILE}, UTC),
    ],
    ids=[
        "question",
        "spoken answer",
        "check",
        "trouble",
        "answer",
        "long answer",
        "feedback",
        "failure",
        "progress",
        "history",
    ],
)
def test_hostile_words_stay_words_wherever_they_stand(made: str) -> None:
    found = Tags(made)
    assert set(found.tags) <= TAGS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    assert all(value.startswith("?") for name, value in found.attributes if name == "href")
    assert "onerror='window.stolen=1'" in found.words or "<img src=x onerror" in found.words


def test_the_interviewer_says_the_question_with_kind_topic_and_time() -> None:
    said = words(view.question_card(DECODE))
    assert said.startswith("conceptquantizationabout 3 min")
    assert DECODE.question in said


def test_a_short_answer_is_shown_whole_and_a_long_one_folded() -> None:
    assert "<details" not in view.answer_card("word " * 120)
    long = view.answer_card("word " * 1500)
    assert "1,500 words" in words(long)
    assert words(long).count("word ") >= 1500


def test_every_verdict_has_one_word_and_a_sign_of_its_own() -> None:
    assert [mark.word for mark in view.VERDICTS.values()] == ["made", "partly", "missed", "wrong", "not judged"]
    assert set(view.VERDICTS) == set(Verdict)
    assert len({mark.sign for mark in view.VERDICTS.values()}) == len(Verdict)


def test_feedback_reads_from_the_score_to_what_was_missing() -> None:
    said = words(view.feedback(decode_attempt()))
    order = [
        "62 of 100",
        "likely 57–68",
        "2 made, 1 partly, 2 missed, 1 wrong, 1 not judged",
        "✓ made",
        "Figures",
        "size of the weights in 4 bits",
        "What was missing",
        "Worth correcting",
        "Rather: the weights are turned back",
        "Not judged",
        "Reference answer",
        "How this was graded",
        "14.2",
    ]
    places = [said.index(part) for part in order]
    assert places == sorted(places)
    assert "!" not in said


def test_every_criterion_stands_on_one_line_with_its_exact_quote() -> None:
    made = decode_attempt()
    said = words(view.feedback(made))
    for verdict in made.grade.criteria:
        assert said.count(verdict.text) == 1
        if verdict.quote:
            assert verdict.quote in said
            assert made.answer.text[verdict.start : verdict.end] == verdict.quote


def test_the_reference_is_folded_with_other_right_answers() -> None:
    made = view.feedback(decode_attempt())
    folded = made[made.index("<details>") :]
    assert "Also right: A roofline argument" in words(folded)
    assert words(made).count("Decode reads every weight once") == 1
    assert "<details open" not in made


def test_how_it_was_graded_names_the_whole_fingerprint() -> None:
    said = words(view.feedback(decode_attempt()))
    for part in ("0123456789ab", "fake-chat", "fake-embedder", "fake 1", "reviewed", "86\xa0% of the weight"):
        assert part in said


def test_without_a_score_it_says_not_graded_and_why() -> None:
    verdicts = tuple(ruling(k, c, ANSWER, unsure=True) for k, c in enumerate(BANK.rubric(DECODE.id).criteria, 1))
    answer = Answer(id="a", question_id=DECODE.id, text=ANSWER, created_at=NOW)
    made = decode_attempt().model_copy(update={"grade": graded(DECODE, answer, verdicts)})
    said = words(view.feedback(made))
    assert "Not graded" in said
    assert "0\xa0% of the weight" in said
    assert "of 100" not in said
    assert view.score_text(made.grade) == "not graded"


def test_a_score_of_nothing_is_zero_and_not_missing() -> None:
    assert view.score_text(decode_attempt(score=0.0).grade) == "0"
    assert view.score_text(decode_attempt(score=0.996).grade) == "100"


def test_reasons_and_flags_are_sentences_and_unknown_ones_are_shown() -> None:
    assert "it comes back sooner" in words(view.feedback(decode_attempt(flags=("recited",))))
    assert "odd_flag" in words(view.feedback(decode_attempt(flags=("odd_flag",))))
    rulings = tuple(
        v.model_copy(update={"reason": "no_evidence"}) if v.verdict is Verdict.MISSED else v
        for v in decode_attempt().grade.criteria
    )
    said = words(view.feedback(decode_attempt(criteria=rulings)))
    assert "no words of the answer support it" in said
    assert "The model's reply could not be read as yes or no." in said


@pytest.mark.parametrize(
    ("status", "word"),
    [("right", "right"), ("magnitude", "near"), ("slip", "slip"), ("wrong", "wrong"), ("missing", "not given")],
)
def test_a_figure_is_told_by_word_and_a_wrong_one_with_what_was_expected(status: str, word: str) -> None:
    finding = FigureFinding(criterion_id="c1", label="size of the weights in 4 bits", status=status, quote="40 GB")
    said = words(view.feedback(decode_attempt(figures=(finding,))))
    line = said[said.index("Figures") : said.index("What was missing")]
    assert word in line
    assert ("Expected about 35 GB" in line) == (status != "right")


def test_a_figure_or_misconception_the_rubric_does_not_know_does_no_harm() -> None:
    finding = FigureFinding(criterion_id="c9", label="odd", status="wrong", quote="9")
    belief = MisconceptionFinding(id="m9", quote="x", start=0, end=1)
    said = words(view.feedback(decode_attempt(figures=(finding,), misconceptions=(belief,))))
    assert "odd" in said
    assert "Expected" not in said
    assert "Worth correcting" not in said


def test_a_gate_is_named_in_how_it_was_graded() -> None:
    assert "gatekeyword_list" in words(view.feedback(decode_attempt(gate="keyword_list")))


@pytest.mark.parametrize(
    ("gate", "sentence"),
    [
        ("nothing_said", "This says nothing about the question, so there was no point to find."),
        ("keyword_list", "This is a list of terms without sentences, so no point was looked for."),
        ("new_gate", "This does not read as an answer (new gate), so no point was looked for."),
    ],
)
def test_a_gated_grade_is_explained_in_one_sentence_and_not_at_each_point(gate: str, sentence: str) -> None:
    missed = tuple(
        CriterionVerdict(id=v.id, text=v.text, verdict=Verdict.MISSED, credit=0.0, reason=gate)
        for v in decode_attempt().grade.criteria
    )
    said = words(view.feedback(decode_attempt(gate=gate, score=0.0, criteria=missed)))
    assert said.count(sentence) == 1
    assert said.lower().count(gate) == 1
    assert "0 of 100" in said


@pytest.mark.parametrize("name", [name for name in _REFUSALS if name not in ("too_short", "too_long", "unknown_take")])
def test_no_gate_that_refuses_lacks_its_sentence_in_the_feedback(name: str) -> None:
    assert "does not read as an answer" not in words(view.feedback(decode_attempt(gate=name)))


def test_progress_names_the_point_being_judged_and_shows_the_verdicts_so_far() -> None:
    verdicts = decode_attempt().grade.criteria
    running = job(JobState.RUNNING)
    assert "Judging point 1 of 7" in words(view.progress_card(Progress(running, (), 7)))
    third = words(view.progress_card(Progress(running, verdicts[:2], 7)))
    assert "Judging point 3 of 7" in third
    assert third.count("✓ made") == 2
    assert "Adding up" in words(view.progress_card(Progress(running, verdicts, 7)))


def test_a_queued_answer_waits_for_what_is_loading() -> None:
    queued = Progress(job(JobState.QUEUED), (), 7)
    assert "Waiting to be graded" in words(view.progress_card(queued))
    both = [EngineState("language model", "loading"), EngineState("embedder", "loading")]
    assert "as soon as the language model and embedder are ready" in words(view.progress_card(queued, both))


def test_a_stopped_grading_says_why_and_that_the_words_are_saved() -> None:
    assert words(view.stopped_card(job(JobState.FAILED, "It hung. Your answer is saved."))) == (
        "Not gradedIt hung. Your answer is saved."
    )
    assert "Your answer is saved" in words(view.stopped_card(job(JobState.FAILED)))
    assert "Grading cancelled" in words(view.stopped_card(job(JobState.CANCELLED)))


def test_the_history_is_newest_first_with_unfinished_gradings_among_it() -> None:
    old = attempt(sample_answer(), id="t-old", at=NOW - timedelta(days=1))
    new = attempt(sample_answer("a2"), id="t-new", at=NOW + timedelta(hours=1))
    made = view.history([new, old], [(job(JobState.FAILED), sample_answer("a3"))], {"kv-cache": "Cache"}, UTC)
    links = [value for name, value in Tags(made).attributes if name == "href"]
    assert links == ["?attempt=t-new", "?job=j1", "?attempt=t-old"]
    assert "not gradedCache1 Mar 2026, 12:00" in words(made)
    assert "62" in words(made)


def test_a_running_grading_and_a_lost_question_have_words_in_the_history() -> None:
    said = words(view.history([], [(job(JobState.RUNNING), sample_answer())], {}, UTC))
    assert "grading" in said
    assert "no longer in the bank" in said


def test_an_empty_history_says_what_will_be_there() -> None:
    assert "Nothing here yet" in view.history([], [], {}, UTC)


def test_moments_are_told_on_the_screens_clock() -> None:
    east = timezone(timedelta(hours=14))
    assert view.when(NOW, UTC) == "1 Mar 2026, 12:00"
    assert view.when(NOW, east) == "2 Mar 2026, 02:00"


def test_a_question_without_a_title_is_named_by_its_first_words() -> None:
    assert view.name(QUESTION) == QUESTION.question[:80]
    assert view.name(CACHE) == CACHE.title


@pytest.mark.parametrize(
    ("states", "line"),
    [
        ([], ""),
        ([EngineState("embedder", "ready")], ""),
        (
            [EngineState("language model", "loading"), EngineState("embedder", "loading")],
            "Loading the language model and embedder. You can write and send answers meanwhile.",
        ),
        (
            [EngineState("language model", "failed", "the file is missing."), EngineState("embedder", "loading")],
            "The language model is not available: the file is missing.",
        ),
        ([EngineState("embedder", "failed")], "The embedder is not available: it did not start."),
    ],
)
def test_one_line_says_what_is_loading_or_broken(states: list[EngineState], line: str) -> None:
    assert view.status_line(states) == line


def test_the_reason_for_a_question_stands_below_it_as_a_sentence() -> None:
    said = words(view.question_card(DECODE, "quantization is due."))
    assert said.endswith("Quantization is due.")
    assert "why" not in view.question_card(DECODE)


def test_the_recorder_carries_its_numbers_and_the_target_as_a_zone() -> None:
    made = view.recorder(DECODE)
    assert 'data-whole-s="360" data-limit-s="360" data-warning-s="330"' in unescape(made)
    assert "left:38%;width:24%" in unescape(made)
    assert "Aim for about 3 min" in words(made)
    assert 'role="timer"' in made
    short = view.recorder(DECODE.model_copy(update={"target_s": 60}))
    assert 'data-whole-s="120"' in unescape(short)
    long = view.recorder(DECODE.model_copy(update={"target_s": 900}))
    assert "left:100%;width:0%" in unescape(long)


def test_a_doubtful_word_is_offered_with_what_it_probably_was() -> None:
    made = view.check_card(heard("with page detention it fits", "page detention", "PagedAttention"), "page detention")
    assert "Heard page detention – PagedAttention?Use it" in words(made)
    assert ("data-heard", "page detention") in Tags(made).attributes
    assert "Check the words before they are graded" in words(made)


def test_a_doubt_that_was_mended_is_not_offered_again() -> None:
    made = view.check_card(heard("page detention", "page detention", "PagedAttention"), "PagedAttention")
    assert "Use it" not in words(made)
    assert "This is what was heard" in words(made)


def test_a_recording_that_was_not_read_whole_says_so() -> None:
    assert "words may be missing" in words(view.check_card(heard("a", is_whole=False), "a"))
    assert "words may be missing" not in words(view.check_card(heard("a"), "a"))


def test_a_deleted_recording_has_no_player() -> None:
    assert "<audio" in view.hearing_card(take())
    assert "<audio" not in view.answer_card("words", take(file_name=None))
    assert "<audio" not in view.trouble_card(None, "It is full.")


def test_delivery_is_told_in_facts_of_length_pace_and_pauses() -> None:
    assert (
        view.delivery_line(DELIVERY)
        == "2:41 spoken, target about 3 min · 116 words a minute · 1 pause of 2 s or longer"
    )
    said = words(view.delivery_facts(DELIVERY))
    for part in ("312", "116 words a minute, 156 without the pauses", "9, 1 of them 2 s or longer, the longest 2.4 s"):
        assert part in said
    assert "after 1.2 s" in said
    none = Delivery(duration_s=0, speech_s=0, n_words=0, n_pauses=0, n_long_pauses=0, longest_pause_s=0)
    assert view.delivery_line(none) == "0:00 spoken"
    assert "pausesnone" in words(view.delivery_facts(none))


def test_a_spoken_answer_shows_when_each_quote_was_said_and_a_typed_one_does_not() -> None:
    made = decode_attempt()
    spoken = Spoken(take(), DELIVERY, {"c0": 12.9})
    said = view.feedback(made, spoken)
    assert '<button type="button" class="at" aria-label="Play from 0&#58;12">0&#58;12</button>' in said
    assert "2:41 spoken" in words(said)
    assert "None of this changes the grade." in words(said)
    gone = view.feedback(made, Spoken(take(file_name=None), DELIVERY, {"c0": 12.9}))
    assert "<button" not in gone
    assert "0:12" in words(gone)
    typed = view.feedback(made)
    assert "<button" not in typed
    assert "spoken" not in words(typed)


def test_what_a_point_counts_stands_beside_the_heavier_ones() -> None:
    said = words(view.feedback(decode_attempt()))
    assert said.count("counts 2×") == 3
    assert "counts 1×" not in said
