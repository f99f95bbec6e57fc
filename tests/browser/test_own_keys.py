"""Keys of one's own: chosen on a page, printed and pressed where one rates, and reset."""

import re

import pytest
from playwright.sync_api import Page, expect

from discussions.rating.queries import load_state
from tests.browser.driving import open_rating_page, settle
from tests.factories.rating import start

pytestmark = pytest.mark.django_db(transaction=True)


def choose(page: Page, site: str, button: str = "Save", **keys: str) -> None:
    """Type these keys of acts on the page of the keys, and press a button there."""
    page.goto(f"{site}/settings/keys/")
    for act, key in keys.items():
        page.locator(f"#id_{act}").fill(key)
    page.get_by_role("button", name=button).click()
    settle(page)


def test_a_game_is_rated_with_own_keys_until_they_are_reset(page: Page, live_server) -> None:
    evaluation = start()
    open_rating_page(page, live_server.url, evaluation)
    page.keyboard.press("?")
    page.get_by_role("link", name="Choose your own keys").click()
    page.wait_for_url("**/settings/keys/")
    choose(page, live_server.url, yes="k", no="t", next=";", undo="-", last_message="y")
    expect(page.locator("#id_no_error")).to_have_text(
        re.compile("“t” is used twice: also for “read, or judge”")
    )
    choose(page, live_server.url, yes="k", no="=", next=";", undo="-", last_message="y")
    expect(page.locator("#id_yes")).to_have_value("k")

    open_rating_page(page, live_server.url, evaluation)
    shown = page.locator("#item-question-1 .two kbd")
    expect(shown).to_have_text(["k", "="])
    expect(page.locator(".rate-foot #undo kbd")).to_have_text("-")
    expect(page.locator(".rate-foot .next kbd")).to_have_text(";")
    for key in ("k", "=", "n", "k"):  # n is nobody's key now: it says so
        page.keyboard.press(key)
        settle(page)
    assert load_state(evaluation).values["question"] == {"1": "yes", "2": "no", "3": "yes"}
    page.keyboard.press("-")
    settle(page)
    assert load_state(evaluation).values["question"] == {"1": "yes", "2": "no"}
    page.keyboard.press("t")
    page.keyboard.press("j")
    was = page.locator(".msg:focus").get_attribute("id")
    page.keyboard.press("j")
    page.keyboard.press("y")
    expect(page.locator(".msg:focus")).to_have_id(was)
    page.keyboard.press("t")
    page.keyboard.press(";")
    expect(page.locator("#item-question-4:focus, #item-question-3:focus")).to_have_count(1)

    choose(page, live_server.url, "Reset to defaults")
    expect(page.locator("#id_yes")).to_have_value("y")
    open_rating_page(page, live_server.url, evaluation)
    page.keyboard.press("n")
    settle(page)
    assert load_state(evaluation).values["question"]["3"] == "no"
