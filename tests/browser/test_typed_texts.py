"""A text that is typed and not saved: it is in its field again after Escape and a reload, until it is saved."""

import pytest
from playwright.sync_api import Page, expect

from discussions.models import Evaluation, Remark
from tests.browser.driving import Keyboard, Watch, answer_by_keys, focused, open_desk, settle
from tests.factories.rating import start

pytestmark = pytest.mark.django_db(transaction=True)

SAYS = "You typed this before and did not save it."


@pytest.fixture
def evaluation() -> Evaluation:
    return start(message_count=12)


@pytest.fixture
def desk(evaluation, page: Page, live_server) -> Page:
    return open_desk(page, live_server.url, evaluation)


def comments() -> list[str]:
    return list(Remark.objects.filter(kind="comment").values_list("text", flat=True))


def kept(page: Page) -> list[str]:
    return page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('evalsite:typed'))")


def type_comment(page: Page, text: str) -> None:
    page.keyboard.press("w")
    expect(page.get_by_label("Comment")).to_be_focused()
    page.keyboard.type(text)


def test_half_a_comment_outlives_escape_and_a_reload(desk: Page) -> None:
    watch = Watch(desk)
    type_comment(desk, "half a thought")
    expect(desk.get_by_text(SAYS).filter(visible=True)).to_have_count(0)
    desk.keyboard.press("Escape")
    expect(desk.get_by_label("Comment")).to_have_count(0)
    desk.keyboard.press("w")
    expect(desk.get_by_label("Comment")).to_have_value("half a thought")
    expect(desk.get_by_text(SAYS).filter(visible=True)).to_have_count(1)
    desk.reload()
    desk.locator(".item:focus").wait_for()
    desk.keyboard.press("w")
    expect(desk.get_by_label("Comment")).to_have_value("half a thought")
    assert comments() == []
    desk.keyboard.press("Enter")
    settle(desk)
    assert comments() == ["half a thought"]
    assert kept(desk) == []
    desk.keyboard.press("w")
    expect(desk.get_by_label("Comment")).to_have_value("")
    watch.check()


def test_a_text_belongs_to_its_message(desk: Page) -> None:
    type_comment(desk, "about this one")
    desk.keyboard.press("Escape")
    first = focused(desk).get_attribute("data-message")
    desk.locator(f".item[data-message]:not([data-message='{first}'])").first.focus()
    desk.keyboard.press("w")
    expect(desk.get_by_label("Comment")).to_have_value("")
    desk.get_by_label("Comment").fill("x")
    desk.get_by_label("Comment").fill("")
    assert len(kept(desk)) == 1


def test_submitting_from_the_field_saves_its_text_first(desk: Page, evaluation) -> None:
    keys = Keyboard(desk)
    for _answer in answer_by_keys(keys):
        pass
    expect(focused(desk)).to_have_text("Submit Ctrl Enter")
    desk.reload()
    expect(focused(desk)).to_have_text("Submit Ctrl Enter")  # nothing is left to judge
    keys.press("j")
    type_comment(desk, "said last")
    desk.keyboard.press("Control+Enter")
    desk.wait_for_url("**/verdict/")
    assert comments() == ["said last"]
    evaluation.refresh_from_db()
    assert evaluation.state == "submitted"


def test_closing_the_evaluation_deletes_what_was_typed(desk: Page, evaluation) -> None:
    type_comment(desk, "never saved")
    assert len(kept(desk)) == 1
    Evaluation.objects.filter(pk=evaluation.pk).update(state="submitted")
    desk.reload()
    expect(desk.locator("#submit")).to_have_count(0)
    assert kept(desk) == []
