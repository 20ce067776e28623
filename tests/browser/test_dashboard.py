"""The dashboard in a real browser: nothing, one attempt, many, hostile words, a phone, the dark, and the keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser import topics
from tests.browser.conftest import App, go, leave, reload
from tests.browser.scene import BAD, DECODE

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
Start, Visit = Callable[..., App], Callable[..., object]


def opened(visit: Visit, app: App, path: str = "dashboard", **options: object) -> object:
    page = visit(app, path, **options)
    page.locator("#dashboard h2").first.wait_for()
    return page


def links(page: object, place: str) -> list[str]:
    return [link.get_attribute("href") for link in page.locator(f"{place} a").all()]


def fits(page: object) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def colour(page: object, place: str, name: str) -> str:
    return page.locator(place).first.evaluate(f"node => getComputedStyle(node).{name}")


def test_before_the_first_answer_it_invites_one(start: Start, visit: Visit) -> None:
    page = opened(visit, start())
    assert page.get_by_role("heading", name="Nothing answered yet").is_visible()
    assert page.locator("#dashboard table").count() == 0
    assert page.locator("#past li").count() == 0
    page.get_by_role("link", name="Answer the first question").click()
    page.get_by_text(DECODE.question).first.wait_for()


def test_one_attempt_is_told_in_reason_table_and_list(start: Start, visit: Visit) -> None:
    page = opened(visit, start("--attempts", "1"))
    weak = page.locator(".weak").inner_text()
    for part in ("quantization", "62 of 100 at your only attempt", "missed", "due now", "last seen 1 Feb 2026"):
        assert part in weak
    assert page.get_by_role("table", name="All topics").get_by_role("row").count() == 4
    assert links(page, "#past") == ["/?attempt=t0"]
    page.locator("#past a").click()
    page.locator(".graded").wait_for()
    assert "An attempt of 1 Feb 2026" in page.locator("#banner").inner_text()


def test_many_attempts_fit_on_the_page_and_the_older_ones_are_one_link_away(start: Start, visit: Visit) -> None:
    app = start("--topics", "200")
    page = opened(visit, app)
    assert page.locator(".weak h3").count() == 3
    table = page.get_by_role("table", name="All topics")
    assert [cell.inner_text() for cell in table.get_by_role("columnheader").all()][:2] == ["Topic", "Mean of 100"]
    assert [h.locator(".name").inner_text() for h in table.get_by_role("rowheader").all()] == list(topics.TOPICS)
    assert len(links(page, "#past ol")) == 30
    assert fits(page)
    page.get_by_role("link", name="Show all attempts").click()
    page.wait_for_function("document.querySelectorAll('#past ol a').length === 200")
    assert (
        page.locator("#past .grader")
        .inner_text()
        .endswith("Graded by another model from here on: fake-chat. Before: another-model.")
    )
    assert "spoken, " in page.locator("#past ol a").nth(1).inner_text()
    assert page.locator("#past .all").count() == 0


def test_practise_this_leads_to_a_question_of_the_topic_by_keyboard_alone(start: Start, visit: Visit) -> None:
    page = opened(visit, start("--topics", "40"))
    topic = page.locator(".weak h3").first.inner_text()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.weak a.go')"):
            break
    assert page.evaluate("document.activeElement.textContent") == f"Practise this topic: {topic}"
    page.keyboard.press("Enter")
    page.get_by_text("You chose this topic.").first.wait_for()
    assert f"What is worth knowing about {topic}" in page.locator("#thread").inner_text()


def test_hostile_words_stay_words(start: Start, visit: Visit) -> None:
    page = opened(visit, start("--attempts", "6"))
    assert page.locator(".weak h3", has_text=BAD.topic).is_visible()
    assert page.locator("#past .title", has_text="<img src=x onerror=window.stolen=1> **title**").first.is_visible()
    assert page.evaluate("window.stolen") is None
    assert page.locator("#dashboard img, #past img, #dashboard b").count() == 0
    assert fits(page)
    page.get_by_role("link", name=f"Practise this topic: {BAD.topic}").first.click()
    page.get_by_text("You chose this topic.").first.wait_for()
    assert "Why? <script>" in page.locator("#thread").inner_text()


@pytest.mark.parametrize("options", [("--attempts", "6"), ("--topics", "200")], ids=["hostile", "many"])
def test_on_a_phone_nothing_is_cut_off_and_links_are_large_enough(
    start: Start, visit: Visit, options: tuple[str, str]
) -> None:
    page = opened(visit, start(*options), **PHONE)
    assert fits(page)
    # Shown as cards, it is still a table to those who hear it.
    assert page.get_by_role("table", name="All topics").get_by_role("columnheader").count() == 6
    for link in page.locator("#dashboard a.go").all():
        assert link.bounding_box()["height"] >= 43.5
    right = page.evaluate(
        "Math.max(...[...document.querySelectorAll('#dashboard *')].filter(node => !node.closest('thead, .unseen'))"
        ".map(node => node.getBoundingClientRect().right))"
    )
    assert right <= 391


def test_both_themes_are_designed(start: Start, visit: Visit) -> None:
    app = start("--attempts", "3")
    light, dark = (opened(visit, app, color_scheme=scheme) for scheme in ("light", "dark"))
    for place, name in ((".weak ol", "backgroundColor"), (".weak h3", "color"), (".weak a.go", "color")):
        assert colour(light, place, name) != colour(dark, place, name)


def test_it_is_read_anew_each_time_it_is_opened(start: Start, visit: Visit) -> None:
    app = start("--attempts", "2")
    page = opened(visit, app)
    page.locator("#past li").nth(1).wait_for()
    reload(page, app)
    page.locator("#past li").nth(1).wait_for()
    assert page.locator("#past li").count() == 2
    go(page, app, "")
    # Gradio has links of its own, shown by nobody.
    link = page.locator("#top").get_by_role("link", name="Dashboard")

    def follow() -> None:
        link.click()
        page.locator("#dashboard table").wait_for()

    leave(app, follow)
