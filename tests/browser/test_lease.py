"""The lease on the evaluator's page: using the page renews it, and what ended is taken up again where it was left."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from discussions.models import Evaluation, Revision, Slot
from discussions.slots.actions import expire_leases, release_slot
from tests.browser.driving import hold, settle
from tests.factories.people import make_lead
from tests.factories.rating import start
from workspace.models import Person

pytestmark = pytest.mark.django_db(transaction=True)

HERE = "(document.activeElement.closest('.item, .msg') ?? document.activeElement).id"
A_MINUTE = 61_000


@pytest.fixture
def evaluation(db) -> Evaluation:
    return start(message_count=12, now=timezone.now())


@pytest.fixture
def rating_page(evaluation, page: Page, live_server) -> Page:
    """The evaluator's page with five minutes left; its clock is wound on by the test."""
    leave(evaluation, 5)
    client = Client()
    client.force_login(evaluation.evaluator)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    page.clock.install()
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/?step=engagement")
    page.locator(".item:focus").wait_for()
    return page


def leave(evaluation: Evaluation, minutes: int) -> None:
    """So much is left of the lease."""
    until = timezone.now() + timedelta(minutes=minutes)
    Slot.objects.filter(pk=evaluation.slot_id).update(lease_until=until)


def test_the_lease_counts_down_is_renewed_by_use_and_taken_up_again(rating_page, evaluation) -> None:
    says, note = rating_page.locator("#lease-says"), rating_page.locator("#answer")
    expect(says).to_have_text("reserved, 5 min left")
    leave(evaluation, 4)
    rating_page.clock.fast_forward(A_MINUTE)
    expect(says).to_have_text("reserved, 4 min left")

    # An act is saved while the renewal is still on its way, and the focus is where the act left it.
    let_go = hold(rating_page, "**/lease/")
    first = rating_page.evaluate(HERE)
    rating_page.keyboard.press("y")
    expect(rating_page.locator(f"#{first} [data-key=y]")).to_have_attribute("aria-pressed", "true")
    settle(rating_page)
    after = rating_page.evaluate(HERE)
    assert after != first
    assert Revision.objects.get().value == "yes"
    assert let_go() == ["POST"]
    expect(says).to_have_text("reserved, 30 min left")
    assert rating_page.evaluate(HERE) == after

    # It ends while something is being typed: that stays, and a click takes the game up again.
    rating_page.keyboard.press("f")
    field = rating_page.locator("#at textarea:visible, #at input:visible, #flag input:visible").first
    field.fill("half a thought")
    leave(evaluation, -1)
    assert expire_leases(by=Person.objects.system(now=timezone.now()), now=timezone.now()) == 1
    rating_page.clock.fast_forward(A_MINUTE)
    expect(note).to_contain_text("Your reservation of this game ended")
    expect(says).to_have_text("your reservation ended")
    expect(field).to_be_focused()
    note.get_by_role("button", name="Resume the game").click()
    expect(says).to_have_text("reserved, 30 min left")
    expect(note).to_be_empty()
    expect(field).to_have_value("half a thought")
    assert Evaluation.objects.get().state == "draft"


def test_who_is_released_while_judging_goes_on_at_once_and_nothing_is_lost(rating_page, evaluation) -> None:
    note, unsent = rating_page.locator("#answer"), rating_page.locator("#unsent")
    first = rating_page.evaluate(HERE)
    lead = make_lead(project=evaluation.game.project)
    release_slot(evaluation=evaluation, reason="Ann is away", by=lead, now=timezone.now())
    let_go = hold(rating_page, "**/lease/")
    rating_page.keyboard.press("y")
    expect(note).to_contain_text("Ann is away")
    expect(note.get_by_role("button", name="Discard this change")).to_be_visible()
    # The renewal that the same key asked for is answered after the act was refused: its note takes nothing away.
    with rating_page.expect_response("**/lease/"):
        let_go()
    expect(rating_page.locator("#lease-says")).to_have_text("your slot was released")
    expect(note.get_by_role("button", name="Discard this change")).to_be_visible()
    expect(unsent).to_contain_text("1 unsent")
    expect(rating_page.locator("#lease-says")).to_have_text("your slot was released")
    assert not Revision.objects.exists()
    note.get_by_role("button", name="Resume the game").click()
    expect(rating_page.locator(f"#{first} [data-key=y]")).to_have_attribute("aria-pressed", "true")
    expect(unsent).to_be_hidden()
    expect(note).to_be_empty()
    expect(rating_page.locator("#lease-says")).to_have_text("reserved, 30 min left")
    settle(rating_page)
    assert Revision.objects.get().value == "yes"
    # Everything goes on as before: the focus is at the next thing, and what is said there is saved.
    rating_page.locator(f".item:focus:not(#{first})").wait_for()
    second = rating_page.evaluate(HERE)
    rating_page.keyboard.press("n")
    expect(rating_page.locator(f"#{second} [data-key=n]")).to_have_attribute("aria-pressed", "true")
    settle(rating_page)
    assert Revision.objects.count() == 2
