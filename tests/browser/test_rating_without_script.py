"""The same evaluation with script switched off: every act is a form with a button, and an ordinary redirect."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    Watch,
    judgements,
    prepare_site,
    sign_in,
    sign_in_by_form,
    take_next_game,
    tell,
)
from tests.browser.transcripts import REFERENCES, lively_game

pytestmark = pytest.mark.slow

# Each form is two pages without script: of most steps so many things are answered by forms.
FEW = 2
_SAY_THE_REST = """
from discussions.models import Evaluation
from tests.factories.rating import say_what_is_missing
say_what_is_missing(Evaluation.objects.with_work().get())
"""
WORDS = {"a": "accurate", "i": "inaccurate", "v": "vague", "x": "not_a_reference"}


def value_for(kind: str, subject: str) -> str:
    """What is answered to a thing that asks."""
    if kind == "reference":
        return WORDS[REFERENCES[subject]]
    return {"role_consistency": "consistent", "reveal": "yes", "rating": "3.0"}.get(
        kind, "no" if subject in ("2", "4", "6") else "yes"
    )


def press(page: Page, act: str) -> None:
    """Press the button that posts this act, and come back to the page by its redirect."""
    with page.expect_navigation():
        page.locator(f'button[name="act"][value^="{act}"]').first.click()
    assert re.search(r"/rate/\d+/\?step=\w+(#|$)", page.url), page.url


def answer(page: Page, steps: list[str], most: int) -> dict[tuple[str, str], str]:
    """Answer the first thing that asks in each of these steps, at most so often."""
    said = {}
    for step in steps:
        with page.expect_navigation():
            page.locator(f'#steps a[data-step="{step}"]').click()
        asking = page.locator(f"#step-{step} .item[data-needs]")
        for _turn in range(most):
            if not asking.count():
                break
            button = asking.first.locator('button[name="act"]').first
            kind, subject = button.get_attribute("value").split("~")[:2]
            value = value_for(kind, subject)
            press(page, asking.first.locator(f'button[value$="~{value}"]').get_attribute("value"))
            said[kind, subject] = value
    return said


@pytest.fixture
def browser_context_args(browser_context_args):
    """As everywhere, without script."""
    return browser_context_args | {"java_script_enabled": False}


def test_everything_can_be_done_by_forms(live_stack, page: Page):
    prepare_site(live_stack, lively_game(rounds=2))
    watch = Watch(page)
    sign_in_by_form(page, live_stack)
    take_next_game(page)
    steps = [link.get_attribute("data-step") for link in page.locator("#steps a").all()]
    said = answer(page, steps[: steps.index("roles")], FEW)
    live_stack.script(_SAY_THE_REST)
    said |= answer(page, ["roles"], 30)
    with page.expect_navigation():
        page.locator('#steps a[data-step="engagement"]').click()
    page.locator("#item-rating- .edit").click()
    press(page, "rating~~1~4.0")
    said["rating", ""] = "4.0"
    assert said.pop(("reveal", "roles")) == "yes"
    assert {kind for kind, _ in said} == {
        "reference",
        "strategic_depth",
        "coherence",
        "question",
        "rating",
        "role_consistency",
    }
    for kind in ("strategic_depth", "coherence", "role_consistency"):
        sampled = {int(subject) for text, subject in judgements(live_stack) if text == kind}
        position = next(number for number in range(2, 34) if number not in sampled)
        # The chip opens the forms of its message; a second act changes the value.
        with page.expect_navigation():
            page.locator(f'#message-{position} a[data-act^="{kind}~{position}~"]').click()
        act = page.locator(f'#at button[value^="{kind}~{position}~"]').get_attribute("value")
        said[kind, str(position)] = act.rpartition("~")[2]
        press(page, act)
    stored = judgements(live_stack)
    assert {thing: stored[thing] for thing in said} == said
    assert len(said) > 15

    press_submit(page)
    page.get_by_role("button", name="Record the verdict").click()
    expect(page.get_by_role("link", name="Report")).to_be_visible()
    assert live_stack.rows("SELECT COUNT(*) FROM discussions_verdict") == [(1,)]
    watch.check()
    tell(f"{len(said)} judgements by forms alone")


def press_submit(page: Page) -> None:
    """Hand it in; the verdict page follows."""
    page.locator('#steps a[data-step="review"]').click()
    page.get_by_role("button", name="Submit and see the verdict").click()
    page.wait_for_url("**/verdict/")


def test_what_is_missing_is_named_and_led_to(live_stack, page: Page):
    prepare_site(live_stack, lively_game(rounds=2))
    sign_in(page, live_stack)
    take_next_game(page)
    page.locator('#steps a[data-step="review"]').click()
    page.get_by_role("button", name="Submit and next game").click()
    expect(page.get_by_role("alert")).to_contain_text("Not accepted")
    assert judgements(live_stack) == {}
    page.locator('#steps a[data-step="review"]').click()
    page.locator("#step-review").get_by_role("link").first.click()
    expect(page.locator("#step-engagement .item").first).to_be_in_viewport()
