"""An evaluator whose labels contradict the rule of role consistency is asked for more messages, and reads why."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import EVALUATOR, Watch, focused, judgements, prepare_site, settle, sign_in
from tests.browser.transcripts import lively_game

pytestmark = pytest.mark.slow

BEGIN = f"""
from django.utils import timezone
from discussions.models import Evaluation
from discussions.queue.actions import take_next_game
from discussions.rating.actions import reveal_roles
from tests.factories.rating import say_what_is_missing
from workspace.models import Person, Project
by, now = Person.objects.get(email={EVALUATOR!r}), timezone.now()
key = take_next_game(project=Project.objects.get(), by=by, now=now).pk
evaluation = Evaluation.objects.with_work().get(pk=key)
say_what_is_missing(evaluation)
reveal_roles(evaluation=evaluation, by=by, now=now)
print(key)
"""


def press_inconsistent(page: Page) -> None:
    """Label the message that asks."""
    page.locator("#step-roles .item.asks.now").get_by_role("button", name="Inconsistent").click()
    settle(page)


def test_an_evaluator_is_asked_for_more_and_sees_why(live_stack, page: Page):
    prepare_site(live_stack, lively_game())
    key = live_stack.script(BEGIN).strip()
    watch = Watch(page)
    sign_in(page, live_stack)
    page.goto(f"{live_stack.url}/rate/{key}/?step=roles")
    asks = page.locator("#step-roles .item.asks")
    first = asks.count()
    assert 6 <= first <= 9, "the sample of six, and the three messages that the rule objects to"
    why = page.locator("#why-more")
    for _ in range(first):
        expect(why).to_have_count(0)
        press_inconsistent(page)
    expect(why).to_contain_text(
        "disagree on 2 or more of the 6 messages of your sample. So 10 more are asked for"
    )
    expect(why).to_contain_text("until they are enough to score this game")
    further = asks.count()
    assert 7 <= further <= 10
    says = page.locator("#step-says")
    expect(says).to_have_text(f"Role consistency, further messages: {further} left")
    expect(page.locator("#step-review")).to_contain_text("has no label of role consistency yet")
    press_inconsistent(page)
    expect(says).to_have_text(f"Role consistency, further messages: {further - 1} left")
    expect(focused(page)).to_have_attribute("data-kind", "role_consistency")
    expect(why).to_be_visible()
    assert len([kind for kind, _subject in judgements(live_stack) if kind == "role_consistency"]) == first + 1
    watch.check()
