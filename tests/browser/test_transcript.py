"""The transcript while rating: search, one agent alone, a message by its number, its link and its text."""

import re

import pytest
from playwright.sync_api import Page, expect

from discussions.rating.queries import load_state
from tests.browser.driving import HERE, Watch, focused, open_rating_page, settle
from tests.factories.rating import game_of, make_rating_project, say_engagement, start

pytestmark = pytest.mark.django_db(transaction=True)


def paste(rating_page: Page) -> str:
    """What is in the clipboard, as it comes into the field of the search."""
    rating_page.keyboard.press("/")
    field = rating_page.get_by_role("searchbox", name="Text in messages")
    field.fill("")
    field.press("Control+v")
    return field.input_value()


@pytest.fixture
def rating_page(page: Page, live_server) -> Page:
    page.context.grant_permissions(["clipboard-write"])
    evaluation = start(project=make_rating_project(number="1.2"), message_count=30)
    say_engagement(evaluation)
    return open_rating_page(page, live_server.url, evaluation)


def test_a_text_is_found_by_keys_and_escape_goes_back(rating_page) -> None:
    watch = Watch(rating_page)
    before = focused(rating_page).get_attribute("id")
    rating_page.keyboard.press("/")
    expect(rating_page.get_by_role("searchbox", name="Text in messages")).to_be_focused()
    rating_page.keyboard.type("FAIR question")
    rating_page.keyboard.press("Enter")
    first = rating_page.get_by_role("link", name=re.compile(r"^Message 6, "))
    expect(first).to_be_focused()
    expect(rating_page.locator("#found mark").first).to_have_text("fair question")
    rating_page.keyboard.press("Enter")
    expect(rating_page.locator("#message-6")).to_be_focused()
    rating_page.keyboard.press("/")
    rating_page.keyboard.press("Escape")
    expect(rating_page.locator("#found > *")).to_have_count(0)
    expect(rating_page.locator("#message-6")).to_be_focused()
    rating_page.keyboard.press("t")
    expect(focused(rating_page)).to_have_id(before)
    watch.check()


def test_one_agent_alone_keeps_the_numbers_also_when_messages_are_drawn_again(rating_page) -> None:
    rating_page.keyboard.type("tjo")
    expect(rating_page.locator("#only")).to_contain_text("Only messages of Bea are shown")
    rating_page.keyboard.press("j")
    expect(focused(rating_page)).to_have_id("message-8")
    rating_page.keyboard.press("k")
    expect(focused(rating_page)).to_have_id("message-2")
    rating_page.keyboard.press("w")
    rating_page.keyboard.type("odd", delay=10)
    rating_page.keyboard.press("Enter")
    settle(rating_page)
    rating_page.locator("#menu > summary").click()
    rating_page.get_by_role("navigation", name="Rounds and agents").get_by_role(
        "link", name=re.compile("Ann")
    ).click()
    expect(rating_page.locator("#only")).to_contain_text("Only messages of Ann are shown")
    rating_page.keyboard.press("Escape")
    expect(rating_page.locator("#message-2")).to_be_hidden()
    rating_page.locator("#steps [data-step=depth]").click()
    rating_page.keyboard.type("yyyyy")
    settle(rating_page)  # the whole sample is judged: every message comes with its labels
    expect(rating_page.locator("#message-1 .chips .chip")).not_to_have_count(0)
    expect(rating_page.locator("#message-2")).to_be_hidden()
    rating_page.get_by_role("link", name="Show all").click()
    expect(rating_page.locator("#message-2")).to_be_visible()
    expect(rating_page.locator("#only")).to_be_hidden()


def test_a_message_is_gone_to_copied_and_linked(rating_page, page) -> None:
    rating_page.keyboard.press("g")
    expect(rating_page.get_by_role("spinbutton", name="Message")).to_be_focused()
    rating_page.keyboard.type("17")
    rating_page.keyboard.press("Enter")
    expect(rating_page.locator("#message-17")).to_be_focused()
    rating_page.keyboard.press("q")
    expect(rating_page.locator("#says")).to_contain_text("text of message 17 is copied")
    said = rating_page.locator("#message-17 .said").inner_text()
    assert paste(rating_page) == said
    rating_page.keyboard.press("Escape")
    rating_page.keyboard.press("l")
    expect(rating_page.locator("#says")).to_contain_text("link to message 17 is copied")
    link = paste(rating_page)
    assert link.endswith("/#m17")
    rating_page.goto("about:blank")
    rating_page.goto(link)
    expect(rating_page.locator("#message-17.now")).to_be_in_viewport()
    assert rating_page.evaluate(HERE) == "message-17"


def test_a_link_to_a_message_opens_its_page_of_a_long_game(page, live_server) -> None:
    evaluation = start(content=game_of(450))
    rating_page = open_rating_page(page, live_server.url, evaluation)
    rating_page.goto(f"{live_server.url}/rate/{evaluation.pk}/?page=1#m300")
    expect(rating_page.locator("#message-300.now")).to_be_in_viewport()
    assert rating_page.evaluate(HERE) == "message-300"
    assert load_state(evaluation).seen.messages[299].text in rating_page.locator("#message-300").inner_text()
    rating_page.keyboard.press("g")
    rating_page.keyboard.type("3")
    rating_page.keyboard.press("Enter")
    expect(rating_page.locator("#message-3.now")).to_be_in_viewport()
    assert rating_page.evaluate(HERE) == "message-3"


LAID_OUT = """() => [...document.querySelectorAll(".msg .said")].filter(
    (one) => one.checkVisibility({ contentVisibilityAuto: true })
).length"""
# Pixels between the middle of the message and that of the transcript.
OFF_CENTRE = """(message) => {
    const middle = (one) => one.getBoundingClientRect().top + one.getBoundingClientRect().bottom;
    return Math.abs(middle(message) - middle(message.closest(".text"))) / 2;
}"""


def test_messages_are_laid_out_when_they_come_near_and_are_gone_to_exactly(page, live_server) -> None:
    rating_page = open_rating_page(page, live_server.url, start(content=game_of(450)))
    assert 0 < rating_page.evaluate(LAID_OUT) < rating_page.locator(".msg").count() / 2
    rating_page.keyboard.press("g")
    rating_page.keyboard.type("150")
    rating_page.keyboard.press("Enter")
    message = rating_page.locator("#message-150.now")
    expect(message).to_be_in_viewport()
    assert message.evaluate(OFF_CENTRE) < 3
    assert 0 < rating_page.evaluate(LAID_OUT) < rating_page.locator(".msg").count() / 2
