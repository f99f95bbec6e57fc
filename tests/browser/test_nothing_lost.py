"""Nothing pressed is lost: the server dies and comes back, the page is left, the sign-in ends."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    EVALUATOR,
    Keyboard,
    Watch,
    focused,
    judgements,
    prepare_site,
    settle,
    sign_in,
    take_next_game,
)
from tests.browser.transcripts import lively_game
from tests.factories.people import PASSWORD

pytestmark = pytest.mark.slow

OFFLINE = ("Failed to load resource: net::ERR",)
REVISIONS = "SELECT COUNT(*) FROM discussions_revision"


@pytest.fixture
def rating(live_stack, page: Page) -> Page:
    """An evaluator with a game open."""
    prepare_site(live_stack, lively_game(rounds=2))
    sign_in(page, live_stack)
    take_next_game(page)
    page.locator("#steps [data-step=references]").click()
    page.locator("#step-references .item").first.focus()
    expect(focused(page)).to_have_attribute("data-kind", "reference")
    return page


def unsent(page: Page, count: int) -> None:
    """The page says that so many acts are unsent."""
    expect(page.locator("#unsent")).to_have_text(f"{count} unsent, kept in this browser: send now")
    expect(page.locator("#unsent")).to_be_visible()


def test_the_server_dies_and_comes_back(live_stack, rating: Page):
    watch = Watch(rating, allowed=OFFLINE)
    keys = Keyboard(rating)
    keys.press("a", "a")
    live_stack.web.kill()
    for count, key in enumerate(("i", "v"), start=1):
        before = focused(rating).get_attribute("id")
        rating.keyboard.press(key)
        unsent(rating, count)
        expect(rating.locator(f"#{before}")).not_to_be_focused()
    assert len(judgements(live_stack)) == 2
    live_stack.start_web()
    settle(rating)
    assert list(judgements(live_stack).values()) == ["accurate", "accurate", "inaccurate", "vague"]
    assert live_stack.rows(REVISIONS) == [(4,)]
    assert "all hold" in live_stack.manage("verify")
    rating.reload()
    expect(rating.locator('#step-references [aria-pressed="true"]')).to_have_count(4)
    watch.check()


@pytest.mark.long
def test_what_is_unsent_outlives_the_page(live_stack, rating: Page):
    asked = []
    rating.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    Keyboard(rating).press("a")
    live_stack.web.kill()
    rating.keyboard.press("i")
    unsent(rating, 1)
    address = rating.url
    rating.goto("about:blank")
    assert asked == ["beforeunload"]
    assert list(judgements(live_stack).values()) == ["accurate"]
    live_stack.start_web()
    rating.goto(address)
    settle(rating)
    assert list(judgements(live_stack).values()) == ["accurate", "inaccurate"]
    rating.reload()
    expect(rating.locator('#step-references [aria-pressed="true"]')).to_have_count(2)
    assert "all hold" in live_stack.manage("verify")


def test_signing_in_again_goes_on_where_one_was(live_stack, rating: Page):
    watch = Watch(rating)
    Keyboard(rating).press("a", "w")
    expect(rating.get_by_label("Comment")).to_be_focused()
    rating.keyboard.type("half a thought")
    live_stack.script("from workspace.models import SignIn; SignIn.objects.all().delete()")
    rating.locator("#step-references .item[data-needs]").first.get_by_role("button", name="Vague").click()
    dialog = rating.get_by_role("dialog")
    expect(dialog).to_be_visible()
    unsent(rating, 1)
    dialog.get_by_label("E-mail").fill(EVALUATOR)
    dialog.get_by_label("Password").fill("not the password")
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("E-mail").fill(EVALUATOR)
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog).to_be_hidden()
    settle(rating)
    assert sorted(judgements(live_stack).values()) == ["accurate", "vague"]
    expect(rating.get_by_label("Comment")).to_have_value("half a thought")
    rating.get_by_label("Comment").press("Enter")
    settle(rating)
    assert live_stack.rows("SELECT COUNT(*) FROM discussions_remark") == [(1,)]
    watch.check()
