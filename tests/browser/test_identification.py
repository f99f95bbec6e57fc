"""The test of who said it before the transcript opens: by keyboard alone, and with script switched off."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driving import (
    LEAD,
    SLUG,
    Keyboard,
    Watch,
    focused,
    judgements,
    prepare_site,
    sign_in,
    take_next_game,
)
from tests.browser.transcripts import lively_game
from tests.services.live_stack import LiveStack

pytestmark = pytest.mark.slow

ASKED = 10


def choose_the_test(stack: LiveStack, browser: Browser, arguments: dict) -> None:
    """What a lead does on the project's page."""
    with browser.new_context(**arguments) as context:
        page = context.new_page()
        sign_in(page, stack, LEAD)
        page.goto(f"{stack.url}/projects/{SLUG}/")
        page.get_by_role("link", name="Settings", exact=True).click()
        page.get_by_label("the manual check").select_option("test")
        with page.expect_navigation():
            page.get_by_role("button", name="Save").first.click()
        expect(page.get_by_label("the manual check")).to_have_value("test")


def test_the_test_is_taken_by_keyboard(live_stack, browser, browser_context_args, page: Page):
    prepare_site(live_stack, lively_game())
    choose_the_test(live_stack, browser, browser_context_args)
    watch = Watch(page)
    sign_in(page, live_stack)
    take_next_game(page)
    keys = Keyboard(page)
    expect(page.locator(".msg")).to_have_count(0)
    expect(page.locator(".samples .card")).to_have_count(5)
    expect(focused(page)).to_have_attribute("id", "item-attribution-1")
    outline = focused(page).evaluate("one => getComputedStyle(one).boxShadow")
    assert outline != "none"
    keys.press("2", "x", "u")
    expect(focused(page)).to_have_attribute("id", "item-attribution-2")
    keys.press("x", ".", ",", *"34512", "1")
    keys.press("ArrowDown")
    while focused(page).get_attribute("data-kind") == "attribution":
        keys.press("x")
    expect(focused(page)).to_have_attribute("id", "item-reveal-transcript")
    said = judgements(live_stack)
    assert len([key for key, value in said.items() if key[0] == "attribution" and value]) == ASKED
    assert said["attribution", "1"] == "2"
    assert said["attribution", "2"] == "cannot_tell"
    page.keyboard.press("y")
    expect(page.locator("body.phase-read #message-1")).to_be_visible()
    page.keyboard.press("t")
    expect(focused(page)).to_have_attribute("data-kind", "question")
    watch.check()


def test_the_test_is_taken_without_script(live_stack, browser, browser_context_args):
    prepare_site(live_stack, lively_game(rounds=2))
    choose_the_test(live_stack, browser, browser_context_args)
    with browser.new_context(**browser_context_args | {"java_script_enabled": False}) as context:
        page = context.new_page()
        watch = Watch(page)
        sign_in(page, live_stack)
        take_next_game(page)
        asking = page.locator('.item[data-needs][data-kind="attribution"]')
        count = asking.count()
        while asking.count():
            with page.expect_navigation():
                asking.first.get_by_role("button", name="Can't tell").click()
            assert re.search(r"/rate/\d+/\?step=identify#item-attribution-\d+$", page.url), page.url
        assert set(judgements(live_stack).values()) == {"cannot_tell"}
        assert len(judgements(live_stack)) == count > 1
        page.get_by_role("button", name=re.compile("Open the transcript")).click()
        expect(page.locator("#message-1")).to_be_visible()
        page.locator('#steps a[data-step="identify"]').click()
        expect(page.locator("#step-identify")).to_contain_text("those answers are final")
        watch.check()
