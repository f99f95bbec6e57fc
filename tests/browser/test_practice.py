"""Practice by real keys: the page of rating, an explanation after each answer, then the first game."""

import re

import pytest
from playwright.sync_api import Page, expect

from discussions.models import Evaluation
from tests.browser.driving import Keyboard, Watch, answer_by_keys, focused, sign_in_as
from tests.factories.people import make_member
from tests.factories.rating import make_game, make_rating_project

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_newcomer_practises_by_keys_and_starts_the_first_game(page: Page, live_server) -> None:
    project = make_rating_project(slug="fresh")
    make_game(project=project)
    sign_in_as(page, live_server.url, make_member(project=project))
    watch = Watch(page)
    page.goto(f"{live_server.url}/")
    page.get_by_role("button", name="Next game").click()
    page.wait_for_url("**/guideline/")
    primary = page.locator("main .button.primary")
    expect(primary).to_have_text("Practise")
    primary.click()
    expect(page.locator("body.phase-read .text:focus")).to_have_count(1)
    keys, told = Keyboard(page), []
    keys.press("t")
    expect(page.locator(".item:focus")).to_have_count(1)
    for place in answer_by_keys(keys):
        told.append(place)
        if place.startswith("item-question"):
            expect(page.locator("#answer")).to_contain_text("Your own opinion")
        elif place == "item-strategic_depth-5":
            expect(page.locator("#answer .note")).to_have_text(
                re.compile("Right\\s*Message 5. Strategic: Otis gives a reason")
            )
        elif place == "item-coherence-7":
            expect(page.locator("#answer .note")).to_contain_text("Not quite")
    assert len(told) == len(set(told)) >= 11
    expect(page.locator("#ask-review")).to_have_text("Practice finished: 4 of 6 answers right")
    expect(focused(page)).to_have_text(re.compile("Start the first game"))
    keys.press("u")
    expect(page.locator("#step-roles .item.now, #step-roles .item:focus")).to_have_count(1)
    keys.press("c")
    assert not Evaluation.objects.exists()
    keys.press("Control+Enter")
    page.wait_for_url(re.compile(r"/rate/\d+/"))
    expect(page.locator("body.phase-read .text:focus")).to_have_count(1)
    watch.check()


def test_practice_works_without_script(browser, live_server) -> None:
    project = make_rating_project(slug="fresh")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in_as(page, live_server.url, make_member(project=project))
    page.goto(f"{live_server.url}/practice/fresh/?step=engagement")
    page.locator("#item-question-1 button").first.click()
    expect(page.locator("#answer")).to_contain_text("Your own opinion")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#item-question-1[data-needs]")).to_have_count(1)
    context.close()
