"""The settings page in a real browser: read, test, change, refuse; on a phone and in the dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import App

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
Start, Visit = Callable[..., App], Callable[..., object]


def box(page: object, name: str) -> object:
    return page.locator(f"#{name} :is(textarea, input)")


def opened(visit: Visit, app: App, **options: object) -> object:
    page = visit(app, "settings", **options)
    page.get_by_text("none but this machine").wait_for()
    return page


def test_the_page_tells_what_holds_and_what_the_environment_decides_is_no_field(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.toml").write_text('port = 8001\nchat_key = "sk-canary"\n', encoding="utf-8")
    (tmp_path / "environment").write_text(
        "TUTOR_CHAT_MODEL=qwen3:4b\nTUTOR_SPEECH_KEY=sk-canary-2\nTUTOR_OPEN_BROWSER=false\n"
    )
    page = opened(visit, start())
    assert page.locator("#settings h2").all_inner_texts() == ["Models", "Practice", "Your data"]
    assert box(page, "port").input_value() == "8001"
    assert page.get_by_text("From the settings file.").count() == 2
    assert page.get_by_text("Default: 60.").is_visible()
    told = page.locator("#settings").inner_text()
    for words in ("qwen3:4b", "TUTOR_CHAT_MODEL", "12 recordings, 9.5 MB", "81 GB", "2.6 MB"):
        assert words in told
    assert "canary" not in page.content()
    assert box(page, "chat_key").input_value() == "********"
    assert page.locator("#chat_model, #speech_key, #open_browser").count() == 0, "the environment decides these"
    row = page.locator("#settings dl > div", has_text="Model name").first
    assert "decided by the environment" in row.inner_text()


def test_a_change_is_saved_and_holds_from_the_next_start(start: Start, visit: Visit, tmp_path: Path) -> None:
    page = opened(visit, start())
    box(page, "port").fill("8001")
    box(page, "chat_model").fill('a "b" <b>')
    box(page, "open_browser").uncheck()
    page.locator("#save").click()
    page.get_by_text("Saved. It takes effect at the next start.").wait_for()
    file = tmp_path / "data" / "settings.toml"
    assert "port = 8001" in file.read_text(encoding="utf-8")
    assert "open_browser = false" in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    page.reload()
    page.get_by_text("none but this machine").wait_for()
    assert box(page, "port").input_value() == "8001"
    assert box(page, "chat_model").input_value() == 'a "b" <b>'
    assert not box(page, "open_browser").is_checked()
    assert page.get_by_text("it takes effect at the next start").count() == 3


def test_a_mistake_stands_at_its_field_and_nothing_is_written(start: Start, visit: Visit, tmp_path: Path) -> None:
    page = opened(visit, start())
    box(page, "chat_deadline_s").fill("30")
    box(page, "port").fill("<b>")
    page.locator("#save").click()
    page.get_by_text("Nothing was saved: one field needs another look.").wait_for()
    assert "Expected a whole number. It was '<b>'." in page.locator(".caption .mistake").inner_text()
    page.wait_for_function("document.querySelector('#port :is(textarea, input)') === document.activeElement")
    described = box(page, "port").get_attribute("aria-describedby")
    assert "whole number" in page.locator(f"#{described}").inner_text()
    assert box(page, "port").get_attribute("aria-invalid") == "true"
    assert box(page, "chat_deadline_s").input_value() == "30"
    assert not (tmp_path / "data" / "settings.toml").exists()
    box(page, "port").fill("8001")
    page.locator("#save").click()
    page.get_by_text("Saved. It takes effect").wait_for()
    assert page.locator(".mistake").count() == 0


def test_a_tab_left_open_wipes_nothing_and_is_told_where_it_is_late(start: Start, visit: Visit, tmp_path: Path) -> None:
    app = start()
    left_open, page = opened(visit, app), opened(visit, app)
    box(page, "chat_key").fill("sk-canary")
    box(page, "takes_days").fill("7")
    page.locator("#save").click()
    page.get_by_text("Saved. It takes effect").wait_for()
    box(left_open, "port").fill("8001")
    left_open.locator("#save").click()
    left_open.get_by_text("Saved. It takes effect").wait_for()
    file = tmp_path / "data" / "settings.toml"
    now = 'chat_key = "sk-canary"\ntakes_days = 7\nport = 8001\n'
    assert sorted(file.read_text(encoding="utf-8").splitlines()) == sorted(now.splitlines())
    assert box(left_open, "takes_days").input_value() == "7"
    before = file.read_text(encoding="utf-8")
    box(page, "port").fill("8002")
    page.locator("#save").click()
    page.get_by_text("Nothing was saved: one field needs another look.").wait_for()
    assert "changed elsewhere meanwhile. Reload the page" in page.locator("#settings .mistake").first.inner_text()
    assert file.read_text(encoding="utf-8") == before
    page.reload()
    page.get_by_text("none but this machine").wait_for()
    page.wait_for_function("document.querySelector('#port :is(textarea, input)').value === '8001'")
    box(page, "port").fill("8002")
    page.locator("#save").click()
    page.get_by_text("Saved. It takes effect").wait_for()
    assert "port = 8002" in file.read_text(encoding="utf-8")
    assert "canary" not in page.content()


def test_a_test_says_what_it_found(start: Start, visit: Visit, tmp_path: Path) -> None:
    app = start()
    page = opened(visit, app)
    page.locator("#test-speech").click()
    page.get_by_text("Testing").first.wait_for()
    page.locator("#test-embedding").click()
    page.get_by_text("Another test is running.").wait_for()
    app.let("heard")
    page.get_by_text("It heard rightly").wait_for()
    page.locator("#test-embedding").click()
    page.get_by_text("0.83 alike").wait_for()
    page.locator("#test-grading").click()
    page.get_by_text("One ruling took 1.3 s").wait_for()
    assert page.locator(".outcome .works").count() == 3
    app.let("down")
    page.locator("#test-grading").click()
    page.get_by_text("Does not work").wait_for()
    assert "<img src=x" in page.locator(".outcome .broken").inner_text()
    assert page.evaluate("window.stolen") is None
    assert page.locator(".outcome :is(img, a)").count() == 0


def test_a_model_that_is_still_loading_is_not_tested(start: Start, visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "loading").touch()
    page = opened(visit, start())
    page.locator("#test-embedding").click()
    page.get_by_text("The embedding model is still loading.").wait_for()


def pretend(page: object, microphone: str) -> None:
    """Put another microphone into the page."""
    page.evaluate(
        """make => {
        const source = new Function("sound", make);
        navigator.mediaDevices.getUserMedia = async () => {
            const sound = new AudioContext();
            await sound.resume();
            return source(sound);
        };
    }""",
        microphone,
    )


TONE = """const out = sound.createMediaStreamDestination(), tone = sound.createOscillator(), gain = sound.createGain();
gain.gain.value = LEVEL; tone.connect(gain).connect(out); tone.start(); return out.stream;"""


MICROPHONES = {
    TONE.replace("LEVEL", "0.5"): r"Works It hears you; the loudest sound reached (4\d|50) of 100\.",
    TONE.replace("LEVEL", "0"): r"Does not work It is open, but nothing was heard\.",
    "throw new DOMException('', 'NotAllowedError');": r"Does not work The browser does not let this page",
    "throw new DOMException('', 'NotFoundError');": r"Does not work No microphone was found\.",
    "throw new DOMException('', 'NotReadableError');": r"Does not work The microphone does not answer",
    "throw new Error('what else');": r"Does not work The microphone could not be opened\.",
}


def test_the_microphone_is_heard_or_it_is_told_why_not(start: Start, visit: Visit) -> None:
    page = opened(visit, start())
    for microphone, says in MICROPHONES.items():
        pretend(page, microphone)
        page.evaluate("document.getElementById('heard').replaceChildren()")
        page.locator("#test-microphone").click()
        page.locator("#heard .mark").wait_for()
        assert re.search(says, page.locator("#heard").inner_text()), says
        assert page.locator("#level").is_hidden()


def test_nothing_is_wider_than_the_screen_and_every_field_has_its_name(start: Start, visit: Visit) -> None:
    app = start()
    for options in ({}, PHONE, {**PHONE, "color_scheme": "dark"}):
        page = opened(visit, app, **options)
        box(page, "port").fill("x")
        page.locator("#save").click()
        page.locator(".mistake").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for name in ("Port", "Address of another server", "Address of a speech server", "Open the page"):
            assert page.get_by_label(re.compile(f"^ *{name}")).count() == 1, name
        heights = page.locator("#settings button:visible").evaluate_all(
            "buttons => buttons.map(button => button.getBoundingClientRect().height)"
        )
        assert min(heights) >= 44
