"""Speaking in a real browser: recorded, uploaded, checked, mended, graded; and no take is ever lost."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.booth import SPOKEN
from tests.browser.conftest import App, reload, write_tone
from tests.browser.scene import CACHE, DECODE

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
Start, Visit = Callable[..., App], Callable[..., object]


def record(page: object, seconds: float = 1.5) -> None:
    """Record with the mouse."""
    page.locator("#record").click()
    page.locator("#stop").wait_for()
    page.wait_for_timeout(1000 * seconds)
    page.locator("#stop").click()


def upload(page: object, path: Path) -> None:
    page.locator("#upload").wait_for()
    page.set_input_files("input[type=file]", str(path))


def transcript(page: object) -> object:
    page.locator("#take .check").wait_for()
    return page.locator("#answer textarea")


def buttons(page: object) -> list[str]:
    return [button.get_attribute("id") for button in page.locator("#actions button:visible").all()]


def heard(page: object) -> str:
    return page.locator("#voice").text_content()


def nothing_stays_of_it(app: App) -> None:
    """The copy that Gradio took in goes a moment after the browser has let go of it."""
    for _ in range(200):
        if not app.uploads():
            return
        time.sleep(0.05)
    pytest.fail(f"left behind: {app.uploads()}")


def test_an_answer_is_spoken_checked_mended_and_graded(start: Start, visit_speaking: Visit) -> None:
    app = start()
    page = visit_speaking(app)
    page.locator("#record").click()
    page.locator("#stop").wait_for()
    assert buttons(page) == ["stop", "pause"]
    assert heard(page) == "Recording."
    assert page.get_by_text(DECODE.question).is_visible()
    page.wait_for_function("document.querySelector('#recorder .time').textContent >= '0:02'")
    assert page.get_by_role("timer").is_visible()
    page.locator("#stop").click()
    assert transcript(page).input_value() == SPOKEN
    assert buttons(page) == ["grade", "redo", "next"]
    page.locator("#take .use").click()
    page.wait_for_function("!document.querySelector('#take .use')")
    assert "With PagedAttention the cache" in transcript(page).input_value()
    assert heard(page) == "PagedAttention stands in place of page detention."
    mended = transcript(page).input_value() + " Edited."
    transcript(page).fill(mended)
    reload(page, app)
    assert transcript(page).input_value() == mended
    page.locator("#grade").click()
    page.locator(".graded").wait_for()
    assert re.search(r"0:0\d spoken, target about 3 min", page.locator(".graded").inner_text())
    page.locator("summary", has_text="Delivery").click()
    assert page.get_by_text("None of this changes the grade.").is_visible()
    page.locator(".graded button.at").nth(1).click()
    page.wait_for_function("!document.querySelector('#thread audio').paused")
    assert page.locator("#thread audio").evaluate("player => player.duration") > 1
    reload(page, app)
    page.locator(".graded button.at").first.wait_for()
    assert len(app.takes()) == 1
    nothing_stays_of_it(app)


def test_an_uploaded_file_is_taken_like_a_recording(start: Start, visit: Visit, tmp_path: Path) -> None:
    app = start()
    page = visit(app)
    upload(page, write_tone(tmp_path / "answer.wav", seconds=2))
    assert transcript(page).input_value() == SPOKEN
    assert "0:02 spoken" in page.locator("#take").inner_text()
    page.locator("#grade").click()
    page.locator(".graded").wait_for()
    page.locator("#again").click()
    page.locator("#record").wait_for()
    nothing_stays_of_it(app)


@pytest.mark.parametrize(
    ("name", "seconds", "loudness", "sentence"),
    [
        ("silence.wav", 2, 0, "No speech was heard."),
        ("short.wav", 0.2, 8000, "This recording is too short"),
        ("notes.txt", 0, 0, "This file cannot be read as a recording."),
    ],
)
def test_a_refused_recording_is_told_and_kept(
    start: Start, visit: Visit, tmp_path: Path, name: str, seconds: float, loudness: int, sentence: str
) -> None:
    app = start()
    page = visit(app)
    source = tmp_path / name
    if name.endswith(".wav"):
        write_tone(source, seconds, loudness)
    else:
        source.write_text("not sound")
    upload(page, source)
    page.locator("#take .refused", has_text=sentence).wait_for()
    assert buttons(page) == ["redo", "type", "next"]
    assert len(app.takes()) == 1
    assert page.locator("#past a").count() == 0
    page.locator("#redo").click()
    page.locator("#record").wait_for()
    nothing_stays_of_it(app)


def test_a_failed_recogniser_loses_nothing(start: Start, visit: Visit, tmp_path: Path) -> None:
    app = start()
    app.let("deaf")
    page = visit(app)
    upload(page, write_tone(tmp_path / "answer.wav", seconds=2))
    page.locator("#take .refused", has_text="The recording is kept.").wait_for()
    assert buttons(page) == ["hear", "redo", "type"]
    assert page.locator("#take audio").is_visible()
    app.end("deaf")
    page.locator("#hear").click()
    assert transcript(page).input_value() == SPOKEN


def test_a_reload_while_it_is_written_down_comes_back_to_it(start: Start, visit: Visit, tmp_path: Path) -> None:
    app = start()
    app.let("slow")
    page = visit(app)
    upload(page, write_tone(tmp_path / "answer.wav", seconds=2))
    page.locator("#take .hearing").wait_for()
    assert buttons(page) == []
    reload(page, app)
    page.locator("#take .hearing").wait_for()
    app.end("slow")
    assert transcript(page).input_value() == SPOKEN
    assert len(app.takes()) == 1


def test_a_recording_that_could_not_be_kept_is_offered_again_after_a_reload(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    app = start()
    (app.folder / "takes").write_text("in the way of the folder")
    page = visit(app)
    upload(page, write_tone(tmp_path / "answer.wav", seconds=2))
    page.locator("#take .refused", has_text="the recording was left where it is").wait_for()
    reload(page, app)
    page.locator("#hear").wait_for()
    assert buttons(page) == ["hear", "redo", "type"]
    (app.folder / "takes").unlink()
    page.locator("#hear").click()
    assert transcript(page).input_value() == SPOKEN
    assert len(app.takes()) == 1
    nothing_stays_of_it(app)


def test_a_question_left_while_checking_comes_back_with_its_recording(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    app = start()
    page = visit(app)
    upload(page, write_tone(tmp_path / "answer.wav", seconds=2))
    transcript(page).fill("My own words about bandwidth.")
    page.locator("#next").click()
    page.get_by_text(CACHE.question).wait_for()
    page.locator("#record").wait_for()
    for _ in range(3):
        if page.get_by_text(DECODE.question).is_visible():
            break
        page.locator("#next").click()
        page.wait_for_timeout(1000)
    assert transcript(page).input_value() == "My own words about bandwidth."
    assert page.locator("#take audio").is_visible()
    assert len(app.takes()) == 1


def test_recording_again_can_be_taken_back(start: Start, visit_speaking: Visit) -> None:
    app = start()
    page = visit_speaking(app)
    record(page)
    transcript(page).fill("My own words about bandwidth.")
    page.locator("#redo").click()
    page.locator("#back").wait_for()
    assert buttons(page) == ["record", "back", "upload"]
    page.locator("#back").click()
    assert transcript(page).input_value() == "My own words about bandwidth."
    page.locator("#redo").click()
    record(page)
    page.wait_for_function("document.querySelector('#answer textarea')?.value.startsWith('Every step')")
    assert len(app.takes()) == 1


def test_a_recording_arrives_while_the_last_one_is_still_tidied_up(start: Start, visit_speaking: Visit) -> None:
    app = start("--settling")
    page = visit_speaking(app)
    record(page)
    transcript(page).fill("My own words about bandwidth.")
    page.locator("#redo").click()
    page.locator("#back").wait_for()
    record(page)
    page.wait_for_function("document.querySelector('#answer textarea')?.value.startsWith('Every step')")
    assert len(app.takes()) == 1


def test_the_keyboard_records_and_stops_and_escape_loses_nothing(start: Start, visit_speaking: Visit) -> None:
    app = start()
    page = visit_speaking(app)
    page.locator("#record").wait_for()
    page.locator("h1").evaluate("() => document.activeElement.blur()")
    page.keyboard.press(" ")
    page.locator("#stop").wait_for()
    page.wait_for_timeout(1200)
    page.keyboard.press("Escape")
    page.locator("#pause").click()
    page.locator("#resume").wait_for()
    assert heard(page) == "Paused."
    at = page.locator("#recorder .time").inner_text()
    page.wait_for_timeout(1500)
    assert page.locator("#recorder .time").inner_text() == at
    page.locator("#resume").click()
    page.locator("#pause").wait_for()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    transcript(page).press("End")
    page.keyboard.type(" and more")
    assert transcript(page).input_value().endswith(" and more")
    assert len(app.takes()) == 1


def test_two_stops_are_one_take(start: Start, visit_speaking: Visit) -> None:
    app = start()
    page = visit_speaking(app)
    page.locator("#record").click()
    page.locator("#stop").wait_for()
    page.wait_for_timeout(1200)
    page.evaluate("for (let i = 0; i < 3; i++) document.querySelector('#stop').click()")
    assert transcript(page).input_value() == SPOKEN
    assert len(app.takes()) == 1


def test_a_recording_is_warned_and_stops_by_itself(start: Start, visit_speaking: Visit) -> None:
    page = visit_speaking(start())
    page.locator("#record").wait_for()
    page.evaluate("""() => { const real = performance.now.bind(performance);
        window.ahead = 0; performance.now = () => real() + window.ahead; }""")
    page.locator("#record").click()
    page.locator("#stop").wait_for()
    page.wait_for_timeout(800)
    page.evaluate("window.ahead = 331_000")
    page.locator("#recorder .state", has_text="30 seconds left").wait_for()
    page.evaluate("window.ahead = 361_000")
    assert transcript(page).input_value() == SPOKEN
    assert heard(page) == "The time is full. Stopped."


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        ("NotAllowedError", "The browser does not let this page use the microphone."),
        ("NotFoundError", "No microphone was found."),
        ("AbortError", "The microphone could not be opened."),
    ],
)
def test_a_blocked_or_missing_microphone_is_told_and_there_is_another_way(
    start: Start, visit: Visit, tmp_path: Path, failure: str, sentence: str
) -> None:
    page = visit(start())
    page.locator("#record").wait_for()
    page.evaluate(
        "(name) => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', name)); }",
        failure,
    )
    page.locator("#record").click()
    page.locator("#recorder .refused", has_text=sentence).wait_for()
    assert "upload a recording or type your answer" in page.locator("#recorder .state").inner_text()
    assert buttons(page) == ["record", "upload", "type", "next"]
    upload(page, write_tone(tmp_path / "answer.wav", seconds=1))
    assert transcript(page).input_value() == SPOKEN


def test_how_one_likes_to_answer_is_remembered(start: Start, visit: Visit) -> None:
    page = visit(start())
    page.locator("#type").click()
    page.locator("#answer textarea").wait_for()
    page.locator("#next").click()
    page.get_by_text(CACHE.question).wait_for()
    assert page.locator("#answer textarea").is_visible()
    page.reload()
    page.locator("#speak").click()
    page.locator("#record").wait_for()
    page.reload()
    page.locator("#record").wait_for()


def test_a_link_to_a_topic_poses_its_question(start: Start, visit: Visit) -> None:
    page = visit(start(), "?topic=KV%20cache")
    page.get_by_text(CACHE.question).wait_for()
    page.wait_for_url(re.compile(r"/$"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_the_primary_button_at_the_thumb(start: Start, visit_speaking: Visit, scheme: str) -> None:
    page = visit_speaking(start(), color_scheme=scheme, **PHONE)
    page.locator("#record").wait_for()
    for primary in ("record", "stop", "grade"):
        edge = page.locator(f"#{primary}").bounding_box()
        assert edge["height"] >= 44
        assert edge["y"] + edge["height"] <= 844
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if primary == "record":
            page.locator("#record").tap()
            page.locator("#stop").wait_for()
            page.wait_for_timeout(1000)
        elif primary == "stop":
            page.locator("#stop").tap()
            page.locator("#grade").wait_for()
