"""A lead in a browser: what evaluators differ about is resolved by keys alone; the page of a game completes itself."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from discussions.games.actions import return_evaluation
from discussions.models import Adjudication, Evaluation
from tests.browser.looking import WIDE, list_faults, violations
from tests.browser.test_verdict_pages import sign_in
from tests.factories.adjudication import make_differing, submit_as, submitted_game
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, make_member
from tests.factories.rating import make_game, make_rating_project

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


def test_a_third_evaluator_answers_the_tied_items_alone_and_the_tie_is_gone(
    page: Page, browser: Browser, live_server
) -> None:
    game = submitted_game(
        2, differing={("coherence", "5"): ("yes", "no"), ("strategic_depth", "4"): ("no", "yes")}
    )
    lead, third = make_lead(project=game.project), make_member(project=game.project)
    sign_in(page, live_server, lead)
    page.goto(live_server.url + reverse("adjudicate", args=[game.project.slug, game.number]))
    page.get_by_label("Third evaluator").select_option(third.name)
    page.get_by_role("button", name="Send 2 to a third evaluator").click()
    expect(page.get_by_text("2 ties wait for a third evaluator.")).to_be_visible()
    other = browser.new_page()
    sign_in(other, live_server, third)
    other.goto(live_server.url + reverse("home"))
    expect(other.get_by_role("heading", level=1)).to_have_text("2 ties to answer")
    expect(other.get_by_role("link", name="Notifications")).to_contain_text("1")
    expect(other.locator(":focus")).to_contain_text("Answer the ties")
    other.keyboard.press("Enter")
    ties = other.locator("fieldset.tie")
    expect(ties).to_have_count(2)
    expect(other.locator("input:checked")).to_have_count(0)
    ties.first.get_by_role("radio").first.check()
    other.get_by_role("button", name="Save answers").click()
    expect(ties).to_have_count(1)
    # The lead decides the other one: it vanishes for the third evaluator, with its notice.
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 tie in game")
    card = page.locator(".difference.asks")
    card.get_by_role("radio").first.check()
    card.get_by_label("Reason").fill("The lead saw it.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No tie blocks the verdict.")).to_be_visible()
    other.goto(live_server.url + reverse("home"))
    expect(other.get_by_text("to answer")).to_have_count(0)
    expect(other.get_by_role("link", name="Notifications")).not_to_contain_text("1")
    decided = {row.kind: row.created_by for row in Adjudication.objects.all()}
    assert set(decided.values()) == {lead, third} and len(decided) == 2
    other.close()


def test_home_opens_the_next_game_and_a_returned_one_with_enter(page: Page, live_server) -> None:
    project = make_rating_project()
    make_game(project=project)
    person, lead = make_member(project=project), make_lead(project=project)
    sign_in(page, live_server, person)
    page.goto(live_server.url + reverse("guideline", args=[project.slug]))
    page.goto(live_server.url + reverse("home"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Your next game has")
    expect(page.locator(":focus")).to_contain_text("Start the next game")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rate/*/**")
    evaluation = Evaluation.objects.get(evaluator=person)
    done = submit_as(evaluation)
    return_evaluation(evaluation=done, comment="Look at message 5 again.", by=lead, now=timezone.now())
    page.goto(live_server.url + reverse("home"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("came back to you")
    expect(page.get_by_text("Look at message 5 again.")).to_be_visible()
    expect(page.locator(":focus")).to_contain_text("Continue game")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{reverse('rate', args=[evaluation.pk])}**")
    expect(page.get_by_text("Look at message 5 again.").first).to_be_visible()
