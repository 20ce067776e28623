"""The library in a real browser: find, edit, see remarks at once, save, be refused, preview; on a phone as well."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import App, leave, reload

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
Start, Visit = Callable[..., App], Callable[..., object]


def box(page: object, name: str) -> object:
    return page.locator(f"#{name} :is(textarea, input)")


def listed(visit: Visit, app: App, query: str = "", **options: object) -> object:
    page = visit(app, f"library{query}", **options)
    page.locator("#sets form").wait_for()
    return page


def opened(visit: Visit, app: App, name: str = "kv-bytes", **options: object) -> object:
    page = visit(app, f"library?q={name}", **options)
    page.locator("#notes :is(li, p)").first.wait_for()
    return page


def reopened(page: object, app: App) -> None:
    reload(page, app)
    page.locator("#notes :is(li, p)").first.wait_for()


def saved(page: object, button: str = "save", says: str = "Saved") -> None:
    page.locator(f"#{button}").click()
    page.locator("#outcome").get_by_text(says).wait_for()


def test_sets_fold_their_questions_and_the_form_finds_drafts(start: Start, visit: Visit) -> None:
    app = start()
    page = listed(visit, app)
    names = page.locator("#sets summary .name").all_inner_texts()
    assert names[:2] == ["quantization", "kv-cache"]
    assert page.locator("#sets li a:visible").count() == 0
    page.locator("#sets summary").first.click()
    assert page.locator("#sets li a:visible").count() == 1
    page.get_by_label("Find").fill("bytes CACHE")
    page.get_by_label("Drafts only").check()
    leave(
        app, lambda: (page.get_by_role("button", name="Show").click(), page.get_by_text("1 question found.").wait_for())
    )
    assert page.get_by_label("Find").input_value() == "bytes CACHE"
    assert page.get_by_label("Drafts only").is_checked()
    found = page.get_by_role("link", name="Bytes of cache")
    leave(app, lambda: (found.click(), page.locator("#notes li").first.wait_for()))
    assert box(page, "topic").input_value() == "KV cache"
    back = page.get_by_role("link", name="All questions")
    leave(app, lambda: (back.click(), page.locator("#sets summary").nth(2).wait_for()))


def test_an_edit_is_linted_as_it_is_typed_saved_and_there_after_a_reload(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    app = start()
    page = opened(visit, app)
    assert page.locator("#delete").count() == 0, "it comes with the program"
    assert page.get_by_text("A draft: the program took its criteria").is_visible()
    assert page.get_by_text("Where each criterion comes from").is_visible()
    box(page, "topic").fill("")
    page.get_by_text("Topic: must not be empty").or_(page.locator("#notes .wrong")).first.wait_for()
    box(page, "topic").fill("Memory <b>")
    page.locator("#difficulty").get_by_text("5").click()
    rubric = box(page, "rubric")
    rubric.fill(rubric.input_value() + "terms: [KV cache, KV cache]\n")
    page.locator("#notes .remark", has_text="terms").first.wait_for()
    saved(page)
    assert "your copy of one that comes with the program" in page.locator("#question-head").inner_text()
    reopened(page, app)
    assert box(page, "topic").input_value() == "Memory <b>"
    assert page.locator("#difficulty input:checked").get_attribute("value") == "5"
    assert "KV cache" in rubric.input_value()
    file = tmp_path / "data" / "bank" / "rubrics" / "kv-bytes.yaml"
    assert "terms:" in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_mistake_names_its_line_leads_to_it_and_nothing_is_saved(start: Start, visit: Visit, tmp_path: Path) -> None:
    page = opened(visit, start())
    rubric = box(page, "rubric")
    rubric.fill(rubric.input_value().replace("weight: 1", "weight: heavy"))
    place = page.get_by_role("button", name="Rubric, line 4, criterion 1, weight")
    place.wait_for()
    place.click()
    selected = rubric.evaluate("box => box.value.slice(box.selectionStart, box.selectionEnd)")
    assert selected.strip() == "weight: heavy"
    saved(page, says="Nothing was saved: one mistake needs another look.")
    assert not (tmp_path / "data" / "bank").exists()
    page.locator("#preview").click()
    page.get_by_text("No grade: mend the mistakes first.").wait_for()


def test_reviewed_is_said_by_a_button_and_the_original_comes_back(start: Start, visit: Visit) -> None:
    page = opened(visit, start())
    saved(page, "reviewed", "three hints")
    rubric = box(page, "rubric")
    rubric.fill(rubric.input_value() + "hints:\n- Which tensors?\n- How many layers?\n- Which precision?\n")
    saved(page, "reviewed", "Saved and marked as reviewed.")
    assert page.locator("#reviewed").count() == 0
    page.locator("#delete").click()
    page.locator("#keep").click()
    page.locator("#delete").click()
    saved(page, "sure", "Your copy is deleted")
    page.wait_for_function("!document.querySelector('#rubric textarea').value.includes('hints')")
    assert page.locator("#reviewed").is_visible()


def test_of_two_tabs_the_second_is_refused_and_keeps_its_words(start: Start, visit: Visit) -> None:
    app = start()
    first, second = opened(visit, app), opened(visit, app)
    box(first, "title").fill("First")
    saved(first)
    box(second, "title").fill("Second")
    saved(second, says="changed elsewhere meanwhile")
    assert box(second, "title").input_value() == "Second"
    box(first, "title").fill("Third")
    saved(first)
    reopened(second, app)
    assert box(second, "title").input_value() == "Third"


def test_a_preview_grades_the_unsaved_rubric_and_an_engine_that_fails_gives_no_grade(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    page = opened(visit, start())
    rubric = box(page, "rubric")
    rubric.fill(rubric.input_value().replace("128 KiB for each token.", "A criterion of my own."))
    page.locator("#preview").click()
    page.locator("#grade .score").wait_for()
    row = page.locator("#grade .points li").first.inner_text()
    assert "made" in row
    assert "A criterion of my own." in row
    assert "2 x 32 layers" in row, "the reference answer was graded"
    box(page, "try").fill("fail in words of mine")
    page.locator("#preview").click()
    page.get_by_text("No grade: The model server does not answer.").wait_for()
    assert page.locator("#grade .score").count() == 0
    assert not (tmp_path / "data" / "bank").exists()


def test_hostile_text_stays_text(start: Start, visit: Visit) -> None:
    app = start()
    page = opened(visit, app, "bad-text")
    page.locator("#preview").click()
    page.locator("#grade .score").wait_for()
    assert page.evaluate("window.stolen") is None
    assert page.locator("#library :is(script, img)").count() == 0
    page = listed(visit, app, "?words=%22%3E%3Cimg%20src%3Dx%20onerror%3D%22window.stolen%3D1%22%3E")
    assert page.get_by_label("Find").input_value() == '"><img src=x onerror="window.stolen=1">'
    assert page.evaluate("window.stolen") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_named_bank_and_an_unknown_question_are_told(start: Start, visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "named").touch()
    app = start()
    page = opened(visit, app)
    assert page.get_by_text("This question is of a bank that the settings name.").is_visible()
    assert page.locator("#keeping button").count() == 0
    page = visit(app, "library?q=nobody")
    page.get_by_text("There is no such question here.").wait_for()


def test_on_a_phone_nothing_is_wider_than_the_screen_and_every_field_has_its_name(start: Start, visit: Visit) -> None:
    app = start()
    page = listed(visit, app, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name in ("w4-decode", "bad-text"):
        page = opened(visit, app, name, **PHONE, color_scheme="dark")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name in ("Question", "Reference answer", "Topic", "Rubric", "Answer to try", "Target, in seconds"):
        assert page.get_by_label(re.compile(f"^ *{name}")).count() >= 1, name
    heights = page.locator("#editor button:visible").evaluate_all(
        "buttons => buttons.map(button => button.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
