"""The page in a real browser: type, grade, cancel, fail, reload, and never lose a word."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import App, reload
from tests.browser.scene import ANSWER, BAD, CACHE, DECODE, HOSTILE, LONG_WORD

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
HELD = ANSWER + " hold"
POINTS = tuple(f"point-{n}" for n in range(1, 8))
Start, Visit = Callable[..., App], Callable[..., object]


def box(page: object) -> object:
    """The answer box; who has not chosen to write yet chooses it."""
    page.locator("#answer textarea, #type").locator("visible=true").first.wait_for()
    if page.locator("#type").is_visible():
        page.locator("#type").click()
    page.locator("#answer textarea").wait_for()
    return page.locator("#answer textarea")


def send(page: object, text: str) -> None:
    box(page).fill(text)
    page.locator("#grade").click()


def shown(page: object, *names: str) -> None:
    """Exactly these buttons are there."""
    page.locator(f"#{names[0]}").wait_for()
    assert [b.get_attribute("id") for b in page.locator("#actions button:visible").all()] == list(names)


def attempts_listed(page: object) -> int:
    return page.locator("#past a[href^='?attempt']").count()


def test_the_first_visit_poses_a_question_and_invites_an_answer(start: Start, visit: Visit) -> None:
    page = visit(start())
    shown(page, "record", "upload", "type", "next")
    assert DECODE.question in page.locator("#thread").inner_text()
    for tag in ("concept", "quantization", "about 3 min"):
        assert page.get_by_text(tag, exact=True).is_visible()
    assert page.locator("#thread .why").inner_text().endswith(".")
    assert page.get_by_text("Aim for about 3 min").is_visible()
    box(page)
    shown(page, "grade", "speak", "next")
    assert page.locator("h1").count() == 1
    assert page.get_by_label("Your answer").is_visible()
    assert page.get_by_text("Nothing here yet").is_visible()


def test_an_empty_answer_gets_a_sentence_and_stores_nothing(start: Start, visit: Visit) -> None:
    page = visit(start())
    box(page)
    page.locator("#grade").click()
    assert "Nothing is written yet" in page.locator("#note .refused").inner_text()
    send(page, DECODE.question)
    page.get_by_text("This repeats the question").first.wait_for()
    assert box(page).input_value() == DECODE.question
    page.reload()
    assert box(page).input_value() == DECODE.question
    assert page.locator("#past a").count() == 0


def test_a_refused_answer_can_be_graded_anyway(start: Start, visit: Visit) -> None:
    page = visit(start())
    send(page, "It is bandwidth")
    page.get_by_text("This is too short to grade.").first.wait_for()
    shown(page, "grade", "insist", "speak", "next")
    box(page).fill("")
    page.locator("#insist").click()
    page.get_by_text("Nothing is written yet").first.wait_for()
    shown(page, "grade", "speak", "next")
    send(page, "It is bandwidth")
    page.locator("#insist").click()
    page.locator(".graded").wait_for()
    assert attempts_listed(page) == 1


def test_verdicts_arrive_one_by_one_and_end_in_a_score(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    send(page, HELD)
    page.get_by_text("Judging point 1 of 7").wait_for()
    shown(page, "cancel")
    app.let("point-1", "point-2")
    page.get_by_text("Judging point 3 of 7").wait_for()
    assert page.locator("#thread .points li").count() == 2
    app.let(*POINTS)
    page.locator(".graded").wait_for()
    said = page.locator(".graded").inner_text()
    assert re.match(r"62\s+of 100", said)
    for word in ("made", "partly", "missed", "wrong", "not judged", "What was missing", "Figures"):
        assert word in said
    assert "Every step has to stream all the weights from memory" in said
    assert not page.get_by_text(DECODE.reference_answer[:40]).is_visible()
    page.locator("summary", has_text="Reference answer").click()
    assert page.get_by_text(DECODE.reference_answer[:40]).is_visible()
    page.locator("summary", has_text="How this was graded").click()
    assert page.get_by_text("0123456789ab").is_visible()
    shown(page, "next", "again")
    assert attempts_listed(page) == 1


def test_a_double_click_makes_one_attempt(start: Start, visit: Visit) -> None:
    page = visit(start())
    box(page).fill(ANSWER)
    page.locator("#grade").dblclick()
    page.locator(".graded").wait_for()
    page.evaluate("document.querySelector('#grade')?.click()")
    page.reload()
    page.locator(".graded").wait_for()
    assert attempts_listed(page) == 1


def test_the_keyboard_is_enough(start: Start, visit: Visit) -> None:
    page = visit(start())
    box(page)
    page.wait_for_function("document.activeElement === document.querySelector('#answer textarea')")
    page.keyboard.type("Each step reads all the weights,")
    page.keyboard.press("Enter")
    page.keyboard.type("so decode is bound by bandwidth.")
    assert box(page).input_value() == "Each step reads all the weights,\nso decode is bound by bandwidth."
    page.keyboard.press("Control+Enter")
    page.locator(".graded").wait_for()
    page.wait_for_function("document.activeElement === document.querySelector('#next')")
    page.keyboard.press("Enter")
    page.get_by_text(CACHE.question).wait_for()
    page.wait_for_function("document.activeElement === document.querySelector('#answer textarea')")


def test_escape_cancels_and_the_answer_can_be_graded_after_all(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    send(page, HELD)
    page.get_by_text("Judging point 1 of 7").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("Grading cancelled", exact=True).wait_for()
    shown(page, "retry", "next", "again")
    assert HELD in page.locator("#thread").inner_text()
    assert attempts_listed(page) == 0
    app.let(*POINTS)
    page.locator("#retry").click()
    page.locator(".graded").wait_for()
    assert attempts_listed(page) == 1


def test_a_cancelled_answer_can_be_edited(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    send(page, HELD)
    page.locator("#cancel").click()
    page.locator("#again").click()
    assert box(page).input_value() == HELD
    reload(page, app)
    assert box(page).input_value() == HELD
    send(page, ANSWER)
    app.let(*POINTS)
    page.locator(".graded").wait_for()


def test_a_failure_keeps_the_answer_and_a_retry_grades_it(start: Start, visit: Visit) -> None:
    page = visit(start())
    send(page, ANSWER + " fail")
    page.get_by_text("The model server does not answer. Your answer is saved.", exact=True).wait_for()
    assert page.get_by_text("Not graded", exact=True).is_visible()
    shown(page, "retry", "next", "again")
    page.reload()
    page.locator("#retry").wait_for()
    assert ANSWER in page.locator("#thread").inner_text()
    page.locator("#retry").click()
    page.locator(".graded").wait_for()
    assert attempts_listed(page) == 1


def test_a_failed_answer_stays_in_the_list_until_it_is_graded(start: Start, visit: Visit) -> None:
    page = visit(start())
    send(page, ANSWER + " fail")
    page.locator("#next").click()
    page.get_by_text(CACHE.question).wait_for()
    page.locator("#past a", has_text="not graded").click()
    page.locator("#retry").click()
    page.locator(".graded").wait_for()
    assert page.locator("#past a", has_text="not graded").count() == 0
    assert page.url.endswith("/")


def test_a_reload_while_grading_takes_up_where_it_was(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    send(page, HELD)
    app.let("point-1")
    page.get_by_text("Judging point 2 of 7").wait_for()
    reload(page, app)
    page.get_by_text("Judging point 2 of 7").wait_for()
    shown(page, "cancel")
    app.let(*POINTS)
    page.locator(".graded").wait_for()
    reload(page, app)
    page.locator(".graded").wait_for()
    assert attempts_listed(page) == 1


def test_a_page_closed_right_after_the_click_finds_its_answer_again(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    send(page, HELD)
    page.locator(".running").wait_for()
    page.close()
    app.let(*POINTS)
    page = page.context.new_page()
    page.goto(app.url)
    page.locator(".graded").wait_for()
    assert ANSWER in page.locator("#thread").inner_text()


def test_many_pages_left_in_a_hang_do_not_block_the_next(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    send(page, HELD)
    page.locator(".running").wait_for()
    for _ in range(20):
        reload(page, app)
        page.locator(".running").wait_for()
    page.locator("#cancel").click()
    page.get_by_text("Grading cancelled", exact=True).wait_for()
    app.let(*POINTS)


def test_a_draft_survives_a_reload_and_a_look_at_another_question(start: Start, visit: Visit) -> None:
    page = visit(start())
    box(page).fill("Half a thought about bandwidth")
    page.reload()
    assert box(page).input_value() == "Half a thought about bandwidth"
    page.locator("#next").click()
    page.get_by_text(CACHE.question).wait_for()
    assert box(page).input_value() == ""
    page.locator("#next").click()
    page.get_by_text(BAD.question).wait_for()
    page.locator("#next").click()
    page.get_by_text(DECODE.question).wait_for()
    assert box(page).input_value() == "Half a thought about bandwidth"
    send(page, ANSWER)
    page.locator("#again").click()
    assert box(page).input_value() == ANSWER


def test_an_enormous_paste_is_refused_in_a_sentence_and_the_page_lives_on(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    box(page).fill("word " * 60_000)
    page.locator("#grade").click()
    page.get_by_text("the limit is 20,000").first.wait_for()
    # A program that fills the box, unlike a person, is not held to its limit.
    box(page).evaluate(
        "(area) => { area.value = 'x'.repeat(1_600_000); area.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    page.locator("#grade").click()
    page.get_by_text("This is too much text at once.").first.wait_for()
    stored = page.evaluate("localStorage.getItem('tutor-drafts').length")
    assert 21_000 < stored < 31_000
    app.errors.clear()
    page.reload()
    send(page, ANSWER)
    page.locator(".graded").wait_for()


def test_drafts_too_large_to_send_are_dropped_before_the_page_reads_them(start: Start, visit: Visit) -> None:
    page = visit(start())
    box(page)
    page.evaluate("localStorage.setItem('tutor-drafts', 'x'.repeat(1_680_000))")
    page.reload()
    send(page, ANSWER)
    page.locator(".graded").wait_for()


def test_an_old_attempt_opens_and_leads_back(start: Start, visit: Visit) -> None:
    page = visit(start("--attempts", "40"))
    box(page).fill("My draft stays")
    assert attempts_listed(page) == 3
    assert page.get_by_text("All attempts").get_attribute("href") == "/dashboard"
    page.locator("#past a").nth(2).click()
    page.locator("#banner .reading").wait_for()
    assert page.locator(".graded").is_visible()
    assert page.locator("#actions button:visible").count() == 0
    page.get_by_text("Back to practice").click()
    assert box(page).input_value() == "My draft stays"
    page.locator("#past a").nth(2).click()
    page.get_by_text("Try this question again").click()
    page.get_by_text(CACHE.question).wait_for()
    page.wait_for_url(re.compile(r"/$"))


def test_while_models_load_an_answer_can_be_sent_and_waits(start: Start, visit: Visit) -> None:
    app = start("--loading")
    page = visit(app)
    page.get_by_text("Loading the language model. You can write and send answers meanwhile.").wait_for()
    send(page, ANSWER)
    page.get_by_text("Graded as soon as the language model is ready.").wait_for()
    app.let("loaded")
    page.wait_for_function("document.getElementById('engines').textContent === ''")


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["wide", "phone"])
def test_hostile_words_stay_words_and_nothing_leaves_this_machine(start: Start, visit: Visit, screen: dict) -> None:
    page = visit(start("--attempts", "3"), f"?question={BAD.id}", **screen)
    answer = f"{HOSTILE}\n\n# head\n\n{LONG_WORD} " + "The cache grows with each token that is read. " * 8
    send(page, answer + " ".join(f"Point {i} is about bandwidth." for i in range(250)))
    page.locator(".graded").wait_for()
    page.locator(".said summary").click()
    for summary in page.locator(".graded summary").all():
        summary.click()
    assert "![beacon](http://evil.example/a.png)" in page.locator(".said .whole").inner_text()
    assert page.evaluate("window.stolen") is None
    assert page.locator("#thread :is(img, script, iframe, a, .katex, code, h1, table), #past img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_column_fits_a_phone_in_both_themes(start: Start, visit: Visit, scheme: str) -> None:
    page = visit(start("--attempts", "3"), color_scheme=scheme, **PHONE)
    send(page, ANSWER)
    page.locator(".graded").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    edge = page.locator("#next").bounding_box()
    assert edge["y"] + edge["height"] <= 844
    assert edge["height"] >= 44
    ground = page.evaluate("getComputedStyle(document.querySelector('#thread .bot')).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_screen_readers_hear_states_not_every_verdict(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    send(page, HELD)
    page.get_by_text("Judging point 1 of 7").wait_for()
    said = page.locator("#said")
    assert (said.get_attribute("role"), said.get_attribute("aria-live")) == ("status", "polite")
    assert page.locator("#thread [role=log]").get_attribute("aria-live") == "off"
    assert said.inner_text().strip() == "Grading."
    labels = page.locator("#thread [data-testid=bot], #thread [data-testid=user]")
    assert {one.get_attribute("aria-label") for one in labels.all()} == {"Interviewer", "You"}
    app.let(*POINTS)
    page.locator(".graded").wait_for()
    assert said.inner_text().startswith("62 of 100.")


def test_a_stopped_server_is_told_and_the_draft_stays(start: Start, visit: Visit) -> None:
    app = start()
    page = visit(app)
    box(page).fill("Unsent words about bandwidth")
    app.server.terminate()
    app.server.wait(15)
    page.get_by_text("The tutor has stopped. Your draft is kept").wait_for(timeout=20_000)
    assert box(page).input_value() == "Unsent words about bandwidth"
    app.errors.clear()
