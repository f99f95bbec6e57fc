"""Two people press Next game at the same moment for the last game: one gets it, the other is told why not."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driving import EVALUATOR, SECOND, SLUG, prepare_site, sign_in
from tests.browser.transcripts import lively_game

pytestmark = pytest.mark.slow


def test_exactly_one_of_two_gets_the_last_game(live_stack, browser: Browser, browser_context_args):
    prepare_site(live_stack, lively_game(rounds=2))
    pages = []
    for email in (EVALUATOR, SECOND):
        page = browser.new_context(**browser_context_args).new_page()
        sign_in(page, live_stack, email)
        # What newcomers are shown first.
        page.goto(f"{live_stack.url}/projects/{SLUG}/guideline/")
        page.goto(f"{live_stack.url}/")
        pages.append(page)
    # Both presses are under way before either is waited for: no page waits for its answer.
    for page in pages:
        page.get_by_role("button", name="Next game").click(no_wait_after=True)
    for page in pages:
        page.wait_for_url(re.compile(r"/(rate/\d+|projects/table/queue)/"))
    got = [page for page in pages if "/rate/" in page.url]
    assert len(got) == 1
    assert live_stack.rows("SELECT COUNT(*) FROM discussions_evaluation") == [(1,)]
    other = next(page for page in pages if page not in got)
    expect(other.get_by_role("heading", level=1)).to_have_text("The queue")
    expect(other.locator("main")).to_contain_text("No game is open for you just now")
    expect(other.locator("main li").first).not_to_be_empty()
    expect(got[0].get_by_role("heading", level=1)).to_contain_text("Game 1 ·")
    for page in pages:
        page.context.close()
