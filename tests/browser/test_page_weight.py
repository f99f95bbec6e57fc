"""The evaluator's page of a 60-message game, cold: few requests, few bytes, nothing moves, nothing blocks."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driving import Keyboard, prepare_site, sign_in, start_judging, take_next_game, tell
from tests.browser.transcripts import lively_game

pytestmark = pytest.mark.slow

MOST_REQUESTS, MOST_BYTES = 10, 80_000
MOST_OF_FONT = 60_000  # which every page shares
# Seconds of its processor that the page's thread takes in all: about 0.1, also where others use the machine, too.
MOST_SECONDS = 0.6
MOST_WORDS = 90  # of the interface, with the first question, before it is answered
WORDS = """
[...document.querySelectorAll(".rate-head, .judge, .rate-foot")]
    .map((part) => part.innerText).join(" ").split(/\\s+/).filter(Boolean).length
"""
OBSERVE = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(
    ...list.getEntries().filter((entry) => !entry.hadRecentInput).map((entry) => entry.value)
)).observe({ type: "layout-shift", buffered: true });
"""


def test_the_page_is_light(live_stack, browser: Browser, browser_context_args):
    prepare_site(live_stack, lively_game())
    with browser.new_context(**browser_context_args) as context:
        page = context.new_page()
        sign_in(page, live_stack)
        take_next_game(page)
        address, signed_in = page.url, context.storage_state()
    with browser.new_context(**browser_context_args, storage_state=signed_in) as context:
        page = context.new_page()
        page.add_init_script(OBSERVE)
        network = context.new_cdp_session(page)
        sizes, fonts = {}, set()
        network.on(
            "Network.responseReceived",
            lambda answer: fonts.add(answer["requestId"]) if answer["type"] == "Font" else None,
        )
        network.on(
            "Network.loadingFinished",
            lambda done: sizes.update({done["requestId"]: done["encodedDataLength"]}),
        )
        network.send("Network.enable")
        network.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(address, wait_until="networkidle")
        expect(page.locator(".text:focus")).to_have_count(1)
        at_load = page.evaluate("window.shifts")
        metrics = network.send("Performance.getMetrics")["metrics"]
        taken = next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
        requests, of_font = len(sizes), sum(sizes[each] for each in fonts)
        weight = sum(sizes.values()) - of_font
        start_judging(page)
        words = page.evaluate(WORDS)
        Keyboard(page).press("a", "a")
        after = page.evaluate("window.shifts")
    tell(f"{requests} requests, {weight} bytes with headers, {taken:.2f} s of its processor, {words} words")
    assert 20 < words <= MOST_WORDS
    assert requests <= MOST_REQUESTS
    assert weight <= MOST_BYTES
    assert 0 < of_font <= MOST_OF_FONT
    assert sum(at_load) == sum(after) == 0
    assert taken <= MOST_SECONDS
