"""A text that is typed and not saved: it is in its field again after Escape and a reload, until it is saved."""

import pytest
from playwright.sync_api import Page, expect

from discussions.models import Evaluation, Remark
from rubric.models import Mark
from tests.browser.driving import (
    Keyboard,
    Watch,
    answer_by_keys,
    focused,
    open_rating_page,
    settle,
    sign_in_as,
)
from tests.factories.human_reviewers import begin, list_reviewers, make_review_set
from tests.factories.rating import say_engagement, start

pytestmark = pytest.mark.django_db(transaction=True)

SAYS = "You typed this before and did not save it."


@pytest.fixture
def evaluation() -> Evaluation:
    return start(message_count=12)


@pytest.fixture
def rating_page(evaluation, page: Page, live_server) -> Page:
    say_engagement(evaluation)
    return open_rating_page(page, live_server.url, evaluation)


def comments() -> list[str]:
    return list(Remark.objects.filter(kind="comment").values_list("text", flat=True))


def kept(page: Page) -> list[str]:
    return page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('evalsite:typed'))")


def type_comment(page: Page, text: str) -> None:
    page.keyboard.press("w")
    expect(page.get_by_label("Comment")).to_be_focused()
    page.keyboard.type(text)


def test_half_a_comment_outlives_escape_and_a_reload(rating_page: Page) -> None:
    watch = Watch(rating_page)
    type_comment(rating_page, "half a thought")
    expect(rating_page.get_by_text(SAYS).filter(visible=True)).to_have_count(0)
    rating_page.keyboard.press("Escape")
    expect(rating_page.get_by_label("Comment")).to_have_count(0)
    rating_page.keyboard.press("w")
    expect(rating_page.get_by_label("Comment")).to_have_value("half a thought")
    expect(rating_page.get_by_text(SAYS).filter(visible=True)).to_have_count(1)
    rating_page.reload()
    rating_page.locator(".item:focus").wait_for()
    rating_page.keyboard.press("w")
    expect(rating_page.get_by_label("Comment")).to_have_value("half a thought")
    assert comments() == []
    rating_page.keyboard.press("Enter")
    settle(rating_page)
    assert comments() == ["half a thought"]
    assert kept(rating_page) == []
    rating_page.keyboard.press("w")
    expect(rating_page.get_by_label("Comment")).to_have_value("")
    watch.check()


def test_a_text_belongs_to_its_message(rating_page: Page) -> None:
    type_comment(rating_page, "about this one")
    rating_page.keyboard.press("Escape")
    first = focused(rating_page).get_attribute("data-message")
    rating_page.keyboard.press("Alt+3")
    while focused(rating_page).get_attribute("data-message") == first:
        rating_page.keyboard.press("ArrowDown")
    rating_page.keyboard.press("w")
    expect(rating_page.get_by_label("Comment")).to_have_value("")
    rating_page.get_by_label("Comment").fill("x")
    rating_page.get_by_label("Comment").fill("")
    assert len(kept(rating_page)) == 1


def test_submitting_from_the_field_saves_its_text_first(rating_page: Page, evaluation) -> None:
    keys = Keyboard(rating_page)
    for _answer in answer_by_keys(keys):
        pass
    expect(focused(rating_page)).to_have_text("Submit and next game Ctrl Enter")
    rating_page.reload()
    expect(focused(rating_page)).to_have_attribute("data-step", "review")  # nothing is left to judge
    keys.press("j")
    type_comment(rating_page, "said last")
    rating_page.keyboard.press("Control+Enter")
    rating_page.wait_for_url("**/?submitted=*")
    assert comments() == ["said last"]
    evaluation.refresh_from_db()
    assert evaluation.state == "submitted"


def test_closing_the_evaluation_deletes_what_was_typed(rating_page: Page, evaluation) -> None:
    type_comment(rating_page, "never saved")
    assert len(kept(rating_page)) == 1
    Evaluation.objects.filter(pk=evaluation.pk).update(state="submitted")
    rating_page.reload()
    expect(rating_page.locator("#submit")).to_have_count(0)
    assert kept(rating_page) == []


def test_half_a_note_on_a_response_is_saved_when_the_page_is_open_again(page: Page, live_server) -> None:
    made = make_review_set()
    review = begin(made)
    sign_in_as(page, live_server.url, list_reviewers(made)[0])
    page.goto(f"{live_server.url}/reviews/{review.pk}/")
    page.locator("#note-1 > summary").click()
    page.get_by_label("Notes on Response A").focus()
    page.keyboard.type("too lo")
    assert not Mark.objects.exists()
    page.evaluate(
        "() => document.addEventListener('change', (event) => event.stopImmediatePropagation(), true)"
    )
    page.reload()
    settle(page)
    expect(page.get_by_label("Notes on Response A")).to_have_value("too lo")
    assert list(Mark.objects.values_list("kind", "value")) == [("notes", "too lo")]
    assert kept(page) == []
