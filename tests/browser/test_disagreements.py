"""A lead in a browser: what evaluators differ about is resolved by keys alone; the page of a game completes itself."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from discussions.models import Adjudication
from tests.browser.looking import WIDE, list_faults, violations
from tests.browser.test_verdict_pages import sign_in
from tests.factories.adjudication import make_differing
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def opened(page: Page, live_server, name: str = "adjudicate"):
    """A game with four ties, open on that page for a lead of its project."""
    game = make_differing()
    sign_in(page, live_server, make_lead(project=game.project))
    page.goto(live_server.url + reverse(name, args=[game.project.slug, game.number]))
    return game


def test_all_ties_are_resolved_without_a_mouse(page: Page, live_server) -> None:
    opened(page, live_server)
    page.evaluate("window.kept = true")
    choices = page.locator(".difference.asks")
    expect(choices).to_have_count(4)
    choices.first.get_by_role("radio").first.focus()
    for left in (3, 2, 1, 0):
        page.keyboard.press("Space")
        expect(page.locator("input:focus")).to_be_checked()
        page.keyboard.press("Tab")
        if page.locator(":focus").get_attribute("name") != "reason":
            page.keyboard.press("Tab")
        page.keyboard.type(f"Reason with {left} left")
        page.keyboard.press("Enter")
        expect(page.locator(".difference.asks")).to_have_count(left)
        if left:
            expect(page.locator(".difference.asks").first.get_by_role("radio").first).to_be_focused()
            expect(page.locator("input:focus")).to_be_in_viewport()
    expect(page.locator("#disagreements-progress")).to_be_focused()
    expect(page.locator("#disagreements-progress")).to_contain_text("No tie blocks the verdict.")
    assert page.evaluate("window.kept")
    assert not violations(page)
    assert Adjudication.objects.count() == 4
    page.get_by_role("link", name="Open the verdict").click()
    expect(page.get_by_role("button", name="Record the verdict")).to_be_enabled()


def test_what_is_missing_gets_the_focus_and_what_was_typed_stays(page: Page, live_server) -> None:
    opened(page, live_server)
    first = page.locator(".difference.asks").first
    page.evaluate("for (const one of document.forms) one.noValidate = true")
    first.get_by_label("Reason").fill("Typed with care")
    page.keyboard.press("Enter")
    expect(first.get_by_role("alert")).to_be_visible()
    expect(first.get_by_role("radio").first).to_be_focused()
    expect(first.get_by_label("Reason")).to_have_value("Typed with care")
    assert not violations(page)


def test_it_works_without_script(browser, live_server) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    opened(page, live_server)
    first = page.locator(".difference.asks").first
    first.get_by_role("radio").first.check()
    first.get_by_label("Reason").fill("Without script")
    first.get_by_role("button", name="Save").click()
    expect(page.locator(".difference.asks")).to_have_count(3)
    assert "#disagreement-item-" in page.url
    page.locator("summary", has_text="Resolved").click()
    expect(page.get_by_text("Without script")).to_be_visible()
    page.locator("summary", has_text="Who are the evaluators?").click()
    page.get_by_role("button", name="Show names").click()
    expect(page.get_by_role("link", name="Hide names")).to_be_visible()
    context.close()


def test_nothing_is_in_the_way_of_anybody(page: Page, live_server, asked) -> None:
    """Each page in light and in dark, and narrow: contrast is asked once of what looks alike on all of them."""
    page.emulate_media(color_scheme="light")
    game = opened(page, live_server)
    faults = []
    for name in ("adjudicate", "game", "verdict", "packet"):
        place = [game.project.slug] if name == "packet" else [game.project.slug, game.number]
        page.set_viewport_size(WIDE)
        page.goto(live_server.url + reverse(name, args=place))
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        faults += list_faults(page, asked.looks)
        page.set_viewport_size({"width": 360, "height": 740})
        width = page.evaluate("document.documentElement.scrollWidth")
        faults += [f"{name} is {width} pixels wide on a phone"] if width > 360 else []
    assert faults == []


def test_diagnostics_appear_on_the_page_of_a_game_once_they_are_computed(page: Page, live_server) -> None:
    opened(page, live_server, "game")
    page.evaluate("window.kept = true")
    part = page.locator("#game-why")
    expect(part).to_contain_text("The diagnostics are being computed")
    page.evaluate("for (const fold of document.querySelectorAll('#game-why .fold')) fold.open = true")
    messages = part.locator("#strategic_depth details")
    messages.locator("summary").click()
    run_waiting_jobs()
    expect(part.get_by_role("heading", name="Diagnostics")).to_have_count(6)
    expect(part).not_to_contain_text("being computed")
    expect(messages).to_have_attribute("open", "")
    expect(messages.locator("summary")).to_be_focused()
    assert page.evaluate("window.kept")
    assert not violations(page)
