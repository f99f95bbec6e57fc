"""By keyboard: the last answer on the roles opens thoughts, a message shows its columns, statements are labelled."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from discussions.models import Evaluation
from discussions.rating.actions import reveal_roles
from discussions.rating.queries import load_state
from tests.browser.driving import focused, open_rating_page, settle, sign_in_as
from tests.browser.looking import list_faults, open_in_light, sideways
from tests.factories.rating import (
    list_asked,
    make_rating_project,
    say,
    say_what_is_missing,
    start,
    thinking_game,
)

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def begin() -> tuple[Evaluation, list[str]]:
    """An evaluation with one label of role consistency to go, and the statements that will be asked."""
    evaluation = start(
        project=make_rating_project(number="1.2"), content=thinking_game(24), now=timezone.now()
    )
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=timezone.now())
    for missing in list_asked(load_state(evaluation))[1:]:
        say(evaluation, missing.kind, missing.subject, "consistent", now=timezone.now())
    return evaluation, list(load_state(evaluation).statements)


def test_statements_are_labelled_by_keys_once_the_roles_are_judged(live_server, page, asked):
    evaluation, statements = begin()
    open_rating_page(page, live_server.url, evaluation)
    expect(page.locator("#steps a")).to_have_count(8)
    expect(page.locator("details.opens")).to_have_count(0)
    page.keyboard.press("c")
    settle(page)
    expect(page.locator("#steps a")).to_have_count(9)
    page.keyboard.press("Alt+8")
    first, second = (f"item-statement-{subject.replace('.', '-')}" for subject in statements[:2])
    expect(focused(page)).to_have_id(first)
    page.keyboard.press("b")
    settle(page)
    expect(focused(page)).to_have_id(second)
    page.keyboard.press("m")
    settle(page)
    page.keyboard.press("u")
    settle(page)
    assert load_state(evaluation).values["statement"] == {statements[0]: "bluff"}
    expect(page.locator("#steps [aria-current]")).to_contain_text(f"1 of {len(statements)}")
    page.locator("#message-2").focus()
    page.keyboard.press("e")
    opened = page.locator("#message-2 .unsaid")
    expect(opened).to_contain_text("PONDER2")
    expect(opened.locator("h3")).to_have_text(
        ["Said to everybody", "Thought nobody heard it", "Voted round 1"]
    )
    expect(page.locator("#message-2 .said")).to_be_hidden()
    assert not list_faults(page, asked.looks)
    page.keyboard.press("e")
    expect(page.locator("#message-2 .said")).to_be_visible()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: "/rate/" not in url)
    assert Evaluation.objects.get(pk=evaluation.pk).state == "submitted"


def test_the_columns_are_for_everybody_and_fit_every_window(live_server, page, asked):
    evaluation, _statements = begin()
    say_what_is_missing(evaluation)
    sign_in_as(page, live_server.url, evaluation.evaluator)
    for address in ("thoughts/?message=2", "?step=statements"):
        open_in_light(page, f"{live_server.url}/rate/{evaluation.pk}/{address}")
        expect(page.locator(".unsaid").first).to_contain_text("Thought")
        assert not list_faults(page, asked.looks)
        assert not sideways(page, address)
