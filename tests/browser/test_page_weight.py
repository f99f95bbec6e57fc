"""The evaluator's page of a 60-message game, cold: few requests, few bytes, nothing moves, nothing blocks."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driving import Keyboard, prepare_site, sign_in, take_next_game, tell
from tests.browser.transcripts import lively_game

pytestmark = pytest.mark.slow

MOST_REQUESTS, MOST_BYTES = 10, 90_000
# In milliseconds by the clock: about 150 on a core that is free, more where others use it, too.
LONGEST_TASK = 600
OBSERVE = """
window.seen = { "layout-shift": [], longtask: [] };
for (const type of Object.keys(window.seen)) {
    new PerformanceObserver((list) => window.seen[type].push(
        ...list.getEntries().filter((entry) => !entry.hadRecentInput)
            .map((entry) => type === "longtask" ? entry.duration : entry.value)
    )).observe({ type, buffered: true });
}
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
        sizes = {}
        network.on(
            "Network.loadingFinished",
            lambda done: sizes.update({done["requestId"]: done["encodedDataLength"]}),
        )
        network.send("Network.enable")
        page.goto(address, wait_until="networkidle")
        expect(page.locator(".item:focus")).to_have_count(1)
        at_load = page.evaluate("window.seen")
        requests, weight = len(sizes), sum(sizes.values())
        Keyboard(page).press("a", "a")
        after = page.evaluate("window.seen")
    tell(f"{requests} requests, {weight} bytes with headers; at load {at_load}, after two acts {after}")
    assert requests <= MOST_REQUESTS
    assert weight <= MOST_BYTES
    assert sum(at_load["layout-shift"]) == 0
    assert sum(after["layout-shift"]) == 0
    assert max(at_load["longtask"], default=0) <= LONGEST_TASK
