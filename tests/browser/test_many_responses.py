"""Twelve responses on one page: the text that is spoken of is open, the others are lines with their scores so far."""

import os
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driving import EVALUATOR, Keyboard, Watch, artefacts, prepare_site, settle, sign_in

pytestmark = pytest.mark.slow

_SET = f"""
from tests.factories.comparisons import make_set
from workspace.models import Person
lead, person = (Person.objects.get(email=email) for email in ("lead@example.org", {EVALUATOR!r}))
make_set(by=lead, people=[person], responses=12, mode="both")
"""
WIDTHS = ((1366, 768), (360, 780))


def begin(page: Page, url: str) -> None:
    """Open the review by its button."""
    page.goto(f"{url}/reviews/")
    page.get_by_role("button", name="next comparison").first.click()
    page.wait_for_url(re.compile(r"/reviews/\d+/"))


def expect_open(page: Page, place: int) -> None:
    """That response is open and no other."""
    expect(page.locator(".response details[name][open]")).to_have_count(1)
    expect(page.locator(f"#message-{place} details[name][open]")).to_have_count(1)


def test_the_response_that_is_spoken_of_is_open(live_stack, page: Page, browser: Browser):
    prepare_site(live_stack)
    live_stack.script(_SET)
    watch = Watch(page)
    page.set_viewport_size({"width": 1366, "height": 768})
    sign_in(page, live_stack)
    begin(page, live_stack.url)
    on_a_phone(page)
    by_keyboard(page, Keyboard(page))
    by_pointer(page)
    watch.check()
    look(page)
    without_script(browser, page, live_stack.url)


def on_a_phone(page: Page) -> None:
    """The responses are shown first; the next thing to do leads to the scores."""
    page.set_viewport_size({"width": 360, "height": 780})
    page.reload()
    expect(page.locator("#message-1 .said")).to_be_visible()
    expect(page.locator("#judge")).to_be_hidden()
    page.locator("#keysheet > summary").click()
    expect(page.get_by_text("notes on the response")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^Next")).click()
    expect(page.locator("#item-holistic-1")).to_be_visible()
    expect(page.locator("#message-1 .said")).to_be_hidden()
    page.set_viewport_size({"width": 1366, "height": 768})
    page.reload()


def by_keyboard(page: Page, keys: Keyboard) -> None:
    """A score opens the next text; j, k and n move, and notes are saved when another response is opened."""
    expect_open(page, 1)
    keys.press("8")
    expect_open(page, 2)
    expect(page.locator("#so-far-1")).to_have_text("8")
    expect(page.locator("#so-far-2")).to_have_text("1 left")
    keys.press("j", "n")
    expect_open(page, 3)
    page.keyboard.type("Thin")
    keys.press("Escape", "k")
    expect(page.get_by_label("Notes on Response C")).to_have_value("Thin")


def by_pointer(page: Page) -> None:
    """A click on a line opens it; what was being typed elsewhere is saved and still there."""
    page.locator("#message-5 [name=response] > summary").click()
    expect_open(page, 5)
    expect(page.locator("#message-5 .said")).to_be_in_viewport()
    page.locator("#note-5 > summary").click()
    page.get_by_label("Notes on Response E").fill("Long")
    page.locator("#message-12 [name=response] > summary").click()
    expect_open(page, 12)
    settle(page)
    page.reload()
    expect(page.locator("#notes-3")).to_have_value("Thin")
    expect(page.locator("#notes-5")).to_have_value("Long")


def look(page: Page) -> None:
    """Nothing is wider than the page, in both widths; with PICTURES=1 pictures are left under var/."""
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        if width < 1041:
            page.locator("label[for=part-text]").click()
        for scheme in ("dark", "light") if os.environ.get("PICTURES") else ():
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=artefacts("responses") / f"{width}-{scheme}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        expect(page.locator("#message-2 .said")).to_be_in_viewport()


def without_script(browser: Browser, page: Page, url: str) -> None:
    """Lines open and close by themselves; the text that misses the next score is open after each act."""
    context = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    plain = context.new_page()
    plain.goto(page.url)
    expect(plain.locator("#message-2 .said")).to_be_visible()
    plain.locator("#message-7 [name=response] > summary").click()
    expect(plain.locator("#message-7 .said")).to_be_visible()
    expect(plain.locator("#message-2 .said")).to_be_hidden()
    plain.locator("#note-7 > summary").click()
    plain.locator("#notes-7").fill("Plain")
    with plain.expect_navigation():
        plain.locator("#note-7 .saves").click()
    expect(plain.locator("#notes-7")).to_be_visible()
    expect(plain.locator("#notes-7")).to_have_value("Plain")
    plain.locator("#notes-7").fill("Plain, typed and not saved")
    with plain.expect_navigation():
        plain.locator("#step-whole .scale button").first.click()
    expect(plain.locator("#notes-7")).to_have_value("Plain, typed and not saved")
    context.close()
