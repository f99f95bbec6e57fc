"""Rating by keys alone: a whole game with few keys, and two games in a row."""

import re

import pytest
from playwright.sync_api import Page, expect

from discussions.models import Evaluation
from discussions.rating.queries import load_state
from tests.browser.driving import Keyboard, Watch, answer_by_keys, focused, open_rating_page, tell
from tests.browser.test_accessibility_tree import ready_person
from tests.browser.transcripts import lively_game
from tests.factories.rating import make_rating_project, start

pytestmark = pytest.mark.django_db(transaction=True)

MOST_KEYS = {"1.2": 40, "1.3": 70}  # with 1.3 further messages are asked for while a metric is open


@pytest.mark.parametrize("number", [pytest.param("1.2", marks=pytest.mark.long), "1.3"])
def test_a_first_game_of_60_messages_takes_few_keys(number, page: Page, live_server) -> None:
    evaluation = start(project=make_rating_project(number=number), content=lively_game())
    assert load_state(evaluation).judgeable.message_count == 60
    rating_page = open_rating_page(page, live_server.url, evaluation)
    keys = Keyboard(rating_page)
    # People agree with the rule here: where they contradict it, more is asked.
    for _answer in answer_by_keys(keys, objected=load_state(evaluation).inconsistent):
        pass
    keys.press("Control+Enter")
    rating_page.wait_for_url("**/?submitted=*")
    tell(f"{len(keys)} keys: {' '.join(keys.pressed)}")
    assert len(keys) <= MOST_KEYS[number]
    evaluation.refresh_from_db()
    assert evaluation.state == "submitted"


def test_two_games_are_rated_without_leaving_the_keyboard(page: Page, live_server) -> None:
    evaluator = ready_person(page, live_server.url)
    watch = Watch(page)
    page.goto(live_server.url)
    keys = Keyboard(page)
    keys.tab_to(page.get_by_role("button", name="Next game"))
    keys.press("Enter")
    page.wait_for_url(re.compile("/guideline/"))  # a newcomer first reads how rating works
    keys.tab_to(page.get_by_role("button", name="Next game"))
    keys.press("Enter")
    for number in (1, 2):
        page.wait_for_url(re.compile(r"/rate/\d+/"))
        expect(page.locator("body.phase-read .text:focus")).to_have_count(1)
        before, answers = len(keys), 0
        keys.press("t")
        expect(page.locator(".item:focus")).to_have_count(1)
        for _answer in answer_by_keys(keys):
            answers += 1
        expect(focused(page)).to_have_text(re.compile("Submit and next game"))
        was = page.url
        keys.press("Control+Enter")
        page.wait_for_url(lambda url, was=was: url != was and "submitted=" in url)
        assert Evaluation.objects.filter(evaluator=evaluator, state="submitted").count() == number
        # One an answer, and four: start, next after the rating, reveal (among the answers), submit and next.
        assert len(keys) - before <= answers + 3
    watch.check()
