"""A transcript written by an enemy is only ever text: nothing runs, nothing hides, nothing bursts the page."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import LEAD, SLUG, Keyboard, Watch, prepare_site, settle, sign_in, take_next_game
from tests.browser.looking import TOO_WIDE
from tests.browser.transcripts import hostile_game

pytestmark = pytest.mark.slow


def check_harmless(page: Page, watch: Watch, scripts: int) -> None:
    """Nothing ran or was added, and the page is no wider than its window."""
    watch.check()
    assert page.evaluate("document.scripts.length") == scripts
    assert page.locator("main script, main img, main b > i").count() == 0
    assert page.evaluate(TOO_WIDE) == []


def test_the_enemy_is_rated_like_anybody(live_stack, page: Page):
    prepare_site(live_stack, hostile_game())
    watch = Watch(page)
    sign_in(page, live_stack)
    scripts = page.evaluate("document.scripts.length")
    take_next_game(page)
    expect(page.locator(".item:focus")).to_have_count(1)
    check_harmless(page, watch, scripts + 3)  # the page's own three
    expect(page.locator("#message-1 .said")).to_contain_text("<script>alert('one')</script>")
    expect(page.locator("#message-3 .said .badge").first).to_be_visible()
    expect(page.locator(".msg .head").filter(has_text="look-alike").first).to_be_visible()
    page.locator("#menu > summary").click()
    expect(page.locator("#map .badge").first).to_be_visible()
    page.keyboard.press("Escape")
    keys = Keyboard(page)
    keys.press("a", "j", "w")
    page.keyboard.type("</script><script>alert(9)</script>")
    page.keyboard.press("Enter")
    settle(page)
    check_harmless(page, watch, scripts + 3)
    for width in (360, 683):
        page.set_viewport_size({"width": width, "height": 740})
        for part in page.locator(".parts label").all():
            part.click()
            check_harmless(page, watch, scripts + 3)


def test_the_enemy_is_shown_to_leads(live_stack, page: Page):
    prepare_site(live_stack, hostile_game())
    watch = Watch(page)
    sign_in(page, live_stack, LEAD)
    scripts = page.evaluate("document.scripts.length")
    for address in ("games/", "games/1/", "imports/", "imports/1/"):
        page.goto(f"{live_stack.url}/projects/{SLUG}/{address}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        check_harmless(page, watch, scripts + (address == "imports/"))  # the page's own one


def test_twins_that_nobody_can_tell_apart_are_refused(live_stack, page: Page):
    prepare_site(live_stack)
    game = hostile_game()
    game["players"][1]["name"] = "An\u200bn"
    game["messages"][4]["message"] = "W" * 200_000
    file = live_stack.folder / "<b>enemy\u202e.json"
    file.write_text(json.dumps(game))
    watch = Watch(page)
    sign_in(page, live_stack, LEAD)
    page.goto(f"{live_stack.url}/projects/{SLUG}/imports/")
    page.locator('input[type="file"]').set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.locator("main")).to_contain_text("cannot be told apart")
    expect(page.locator("main")).to_contain_text("The message has 200,000 characters")
    expect(page.locator("main .badge").first).to_be_visible()
    assert page.locator("main b:has-text('enemy')").count() == 0
    assert live_stack.rows("SELECT COUNT(*) FROM discussions_game") == [(0,)]
    watch.check()
    assert page.evaluate(TOO_WIDE) == []
