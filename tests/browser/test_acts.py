"""Acts in the browser: kept until the server has them, sent in order, never lost and never moving the person."""

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect

from discussions.models import Evaluation, Revision
from tests.browser.driving import settle
from tests.factories.people import PASSWORD
from tests.factories.rating import say, say_engagement, start
from tests.factories.sign_in import make_secured
from workspace.models import SignIn

pytestmark = pytest.mark.django_db(transaction=True)

HERE = "(document.activeElement.closest('.item, .msg') ?? document.activeElement).id"


@pytest.fixture
def evaluation(db) -> Evaluation:
    return start(message_count=30)


@pytest.fixture
def rating_page(evaluation, page: Page, live_server) -> Page:
    """The evaluator's page, open, with the first reference in focus."""
    say_engagement(evaluation)
    client = Client()
    client.force_login(evaluation.evaluator)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/")
    page.locator(".item:focus").wait_for()
    return page


def press(page: Page, *keys: str) -> None:
    """Press keys one by one, each after the page has resolved."""
    for key in keys:
        page.locator("body:not([data-busy])").wait_for()
        page.keyboard.press(key)
    page.locator("body:not([data-busy])").wait_for()


def labels(evaluation: Evaluation) -> list[str]:
    """The stored labels of references, in the order in which they were given."""
    rows = Revision.objects.filter(judgement__evaluation=evaluation, judgement__kind="reference")
    return list(rows.order_by("pk").values_list("value", flat=True))


def test_an_answer_is_saved_and_the_focus_goes_on(rating_page, evaluation) -> None:
    first = rating_page.evaluate(HERE)
    press(rating_page, "a")
    assert rating_page.evaluate(HERE) != first
    expect(rating_page.locator(f"#{first} [data-key=a]")).to_have_attribute("aria-pressed", "true")
    settle(rating_page)
    expect(rating_page.locator("#status")).to_contain_text("saved")
    assert labels(evaluation) == ["accurate"]


def test_acts_wait_in_order_while_the_server_is_away_even_over_a_reload(rating_page, evaluation) -> None:
    rating_page.on("dialog", lambda dialog: dialog.accept())
    rating_page.route("**/judge/", lambda route: route.abort())
    press(rating_page, "a", "i", "v")
    expect(rating_page.locator("#unsent")).to_contain_text("3 unsent")
    assert labels(evaluation) == []
    rating_page.reload()
    rating_page.unroute("**/judge/")
    settle(rating_page)
    assert labels(evaluation) == ["accurate", "inaccurate", "vague"]
    assert rating_page.evaluate("localStorage.length") == 0


def test_an_answer_that_got_lost_is_sent_again_unchanged_and_stored_once(rating_page, evaluation) -> None:
    bodies = []

    def lose_the_first_answer(route) -> None:
        bodies.append(route.request.post_data)
        if len(bodies) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    rating_page.route("**/judge/", lose_the_first_answer)
    press(rating_page, "a")
    settle(rating_page)
    assert bodies[0] == bodies[1]
    assert labels(evaluation) == ["accurate"]


def test_leaving_with_unsent_acts_warns(rating_page) -> None:
    asked = []
    rating_page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    rating_page.route("**/judge/", lambda route: route.abort())
    press(rating_page, "a")
    expect(rating_page.locator("#unsent")).to_be_visible()
    with rating_page.expect_event("dialog"):
        rating_page.close(run_before_unload=True)
    assert asked == ["beforeunload"]


def test_a_sign_in_that_ran_out_is_renewed_in_place_and_the_act_goes_through(rating_page, evaluation) -> None:
    SignIn.objects.all().delete()
    press(rating_page, "v")
    dialog = rating_page.locator("#signin[open]")
    expect(dialog).to_be_visible()
    dialog.get_by_label("E-mail").fill(evaluation.evaluator.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    rating_page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    settle(rating_page)
    assert labels(evaluation) == ["vague"]


def test_what_is_typed_in_the_sign_in_dialog_stays_when_something_else_is_refused(
    rating_page, evaluation
) -> None:
    SignIn.objects.all().delete()
    press(rating_page, "v")
    dialog = rating_page.locator("#signin[open]")
    dialog.get_by_label("E-mail").fill("half an address")
    with rating_page.expect_response("**/lease/") as refused:  # what the page asks by itself once a minute
        rating_page.evaluate("id => { htmx.ajax('POST', `/rate/${id}/lease/`, '#lease') }", evaluation.pk)
    assert refused.value.status == 401
    rating_page.evaluate("new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))")
    expect(dialog.get_by_label("E-mail")).to_have_value("half an address")


def test_a_second_step_in_place_asks_again_and_the_act_goes_through(rating_page, evaluation) -> None:
    _, app, _ = make_secured(evaluation.evaluator)
    assert not SignIn.objects.exists()  # setting it up elsewhere ended this one
    press(rating_page, "v")
    dialog = rating_page.locator("#signin[open]")
    dialog.get_by_label("E-mail").fill(evaluation.evaluator.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    rating_page.keyboard.press("Enter")
    expect(dialog.get_by_label("Code")).to_be_focused()
    rating_page.keyboard.type(app.wrong())
    rating_page.keyboard.press("Enter")
    expect(dialog.locator(".fault")).to_contain_text("is not valid")
    expect(dialog.get_by_label("Code")).to_be_focused()
    rating_page.keyboard.type(app.code())
    rating_page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    settle(rating_page)
    assert labels(evaluation) == ["vague"]


@pytest.mark.parametrize(
    ("choice", "pressed", "said"),
    [("Use mine", "a", ["vague", "accurate"]), ("Keep the stored one", "v", ["vague"])],
)
def test_two_versions_are_both_shown_and_the_person_chooses(
    rating_page, evaluation, choice, pressed, said
) -> None:
    item = rating_page.evaluate(HERE)
    act = rating_page.locator(f"#{item} [data-key=a]").get_attribute("value")
    say(evaluation, "reference", act.split("~")[1], "vague")  # in another tab
    press(rating_page, "a")
    alert = rating_page.get_by_role("alert")
    expect(alert).to_contain_text("Nothing was overwritten")
    expect(alert).to_contain_text(re.compile('You said "accurate"; stored is "vague"', re.IGNORECASE))
    expect(rating_page.locator(f"#{item} [data-key=v]")).to_have_attribute("aria-pressed", "true")
    assert labels(evaluation) == ["vague"]
    alert.get_by_text(choice).click()
    expect(alert).to_be_hidden()
    settle(rating_page)
    expect(rating_page.locator(f"#{item} [data-key={pressed}]")).to_have_attribute("aria-pressed", "true")
    assert labels(evaluation) == said


def test_a_double_click_is_one_act(rating_page, evaluation) -> None:
    sent = []
    rating_page.on("request", lambda request: sent.append(request.url) if "/judge/" in request.url else None)
    rating_page.locator(f"#{rating_page.evaluate(HERE)} [data-key=a]").dblclick()
    settle(rating_page)
    assert (labels(evaluation), len(sent)) == (["accurate"], 1)
    expect(rating_page.get_by_role("alert")).to_have_count(0)


def test_keys_are_dead_while_typing_and_when_switched_off(rating_page) -> None:
    press(rating_page, "j", "w")
    field = rating_page.locator("#at-comment")
    expect(field).to_be_focused()
    rating_page.keyboard.type("jkav")
    expect(field).to_have_value("jkav")
    rating_page.keyboard.press("Escape")
    before = rating_page.evaluate(HERE)
    press(rating_page, "?")
    rating_page.locator("#single-keys").uncheck()
    rating_page.keyboard.press("Escape")
    press(rating_page, "j", "k", "]")
    assert rating_page.evaluate(HERE) == before
    rating_page.reload()
    expect(rating_page.locator("#single-keys")).not_to_be_checked()


def test_a_held_key_and_altgr_do_nothing(rating_page, evaluation) -> None:
    item = rating_page.evaluate(HERE)
    rating_page.evaluate("""() => document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', {key: 'a', repeat: true, bubbles: true}))""")
    rating_page.evaluate("""() => document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', {key: 'a', modifierAltGraph: true, bubbles: true}))""")
    assert rating_page.evaluate(HERE) == item
    assert labels(evaluation) == []
