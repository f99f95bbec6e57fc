"""The transcript while rating: search, one agent alone, a message by its number, its link and its text."""

import re

import pytest
from playwright.sync_api import Page, expect

from discussions.rating.queries import load_state
from tests.browser.driving import HERE, Watch, focused, open_desk, settle
from tests.factories.rating import game_of, start

pytestmark = pytest.mark.django_db(transaction=True)


def paste(desk: Page) -> str:
    """What is in the clipboard, as it comes into the field of the search."""
    field = desk.get_by_role("searchbox", name="Text in messages")
    field.fill("")
    field.press("Control+v")
    return field.input_value()


@pytest.fixture
def desk(page: Page, live_server) -> Page:
    page.context.grant_permissions(["clipboard-write"])
    return open_desk(page, live_server.url, start(message_count=30))


def test_a_text_is_found_by_keys_and_escape_goes_back(desk) -> None:
    watch = Watch(desk)
    before = focused(desk).get_attribute("id")
    desk.keyboard.press("/")
    expect(desk.get_by_role("searchbox", name="Text in messages")).to_be_focused()
    desk.keyboard.type("FAIR question")
    desk.keyboard.press("Enter")
    first = desk.get_by_role("link", name=re.compile(r"^Message 6, "))
    expect(first).to_be_focused()
    expect(desk.locator("#found mark").first).to_have_text("fair question")
    desk.keyboard.press("Enter")
    expect(desk.locator("#message-6")).to_be_focused()
    desk.keyboard.press("/")
    desk.keyboard.press("Escape")
    expect(desk.locator("#found > *")).to_have_count(0)
    expect(desk.locator("#message-6")).to_be_focused()
    desk.keyboard.press("t")
    expect(focused(desk)).to_have_id(before)
    watch.check()


def test_one_agent_alone_keeps_the_numbers_also_when_messages_are_drawn_again(desk) -> None:
    desk.keyboard.type("tjo")
    expect(desk.locator("#only")).to_contain_text("Only messages of Bea are shown")
    desk.keyboard.press("j")
    expect(focused(desk)).to_have_id("message-8")
    desk.keyboard.press("k")
    expect(focused(desk)).to_have_id("message-2")
    desk.keyboard.press("w")
    desk.keyboard.type("odd", delay=10)
    desk.keyboard.press("Enter")
    settle(desk)
    desk.get_by_role("navigation", name="Rounds and agents").get_by_role(
        "link", name=re.compile("Ann")
    ).click()
    expect(desk.locator("#only")).to_contain_text("Only messages of Ann are shown")
    expect(desk.locator("#message-2")).to_be_hidden()
    desk.locator("#steps [data-step=depth]").click()
    desk.keyboard.type("yyyyy")
    settle(desk)  # the whole sample is judged: every message comes with its labels
    expect(desk.locator("#message-1 .chips .chip")).not_to_have_count(0)
    expect(desk.locator("#message-2")).to_be_hidden()
    desk.get_by_role("link", name="Show all").click()
    expect(desk.locator("#message-2")).to_be_visible()
    expect(desk.locator("#only")).to_be_hidden()


def test_a_message_is_gone_to_copied_and_linked(desk, page) -> None:
    desk.keyboard.press("g")
    expect(desk.get_by_role("spinbutton", name="Message")).to_be_focused()
    desk.keyboard.type("17")
    desk.keyboard.press("Enter")
    expect(desk.locator("#message-17")).to_be_focused()
    desk.keyboard.press("q")
    expect(desk.locator("#says")).to_contain_text("text of message 17 is copied")
    said = desk.locator("#message-17 .said").inner_text()
    assert paste(desk) == said
    desk.keyboard.press("Escape")
    desk.keyboard.press("l")
    expect(desk.locator("#says")).to_contain_text("link to message 17 is copied")
    link = paste(desk)
    assert link.endswith("/#m17")
    desk.goto("about:blank")
    desk.goto(link)
    expect(desk.locator("#message-17.now")).to_be_in_viewport()
    assert desk.evaluate(HERE) == "message-17"


def test_a_link_to_a_message_opens_its_page_of_a_long_game(page, live_server) -> None:
    evaluation = start(content=game_of(450))
    desk = open_desk(page, live_server.url, evaluation)
    desk.goto(f"{live_server.url}/rate/{evaluation.pk}/?page=1#m300")
    expect(desk.locator("#message-300.now")).to_be_in_viewport()
    assert desk.evaluate(HERE) == "message-300"
    assert load_state(evaluation).seen.messages[299].text in desk.locator("#message-300").inner_text()
    desk.keyboard.press("g")
    desk.keyboard.type("3")
    desk.keyboard.press("Enter")
    expect(desk.locator("#message-3.now")).to_be_in_viewport()
    assert desk.evaluate(HERE) == "message-3"


LAID_OUT = """() => [...document.querySelectorAll(".msg .said")].filter(
    (one) => one.checkVisibility({ contentVisibilityAuto: true })
).length"""
# Pixels between the middle of the message and that of the transcript.
OFF_CENTRE = """(message) => {
    const middle = (one) => one.getBoundingClientRect().top + one.getBoundingClientRect().bottom;
    return Math.abs(middle(message) - middle(message.closest(".text"))) / 2;
}"""


def test_messages_are_laid_out_when_they_come_near_and_are_gone_to_exactly(page, live_server) -> None:
    desk = open_desk(page, live_server.url, start(content=game_of(450)))
    assert 0 < desk.evaluate(LAID_OUT) < desk.locator(".msg").count() / 2
    desk.keyboard.press("g")
    desk.keyboard.type("150")
    desk.keyboard.press("Enter")
    message = desk.locator("#message-150.now")
    expect(message).to_be_in_viewport()
    assert message.evaluate(OFF_CENTRE) < 3
    assert 0 < desk.evaluate(LAID_OUT) < desk.locator(".msg").count() / 2
