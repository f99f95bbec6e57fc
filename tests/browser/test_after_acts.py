"""By real keys: after every act something useful has the focus, and never a button that cannot be taken back."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from discussions.core.judgement_kinds import parse_subject
from discussions.games.actions import return_evaluation
from discussions.models import Evaluation, Game
from discussions.queue.actions import take_next_game
from discussions.rating.actions import remark, reveal_roles, submit_evaluation
from discussions.rating.queries import load_state
from discussions.verdicts.actions import record_verdict
from tests.browser.driving import focused, open_rating_page, settle, sign_in_as
from tests.factories.authorship import start_test
from tests.factories.people import make_lead, make_member
from tests.factories.rating import (
    game_of,
    make_game,
    make_rating_project,
    ready_to_submit,
    say_engagement,
    say_what_is_missing,
    start,
)
from tests.factories.verdicts import fresh, preview

pytestmark = pytest.mark.django_db(transaction=True)

SUGGESTED = "If Bea had voted for Cid in round 2, he would be gone."


def again(evaluation: Evaluation) -> Evaluation:
    return Evaluation.objects.with_work().get(pk=evaluation.pk)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        settle(page)


def submit_by_keys(page: Page, site: str, evaluation: Evaluation) -> None:
    """Submit an evaluation that is complete, by its keys; the page after it is open."""
    sign_in_as(page, site, evaluation.evaluator)
    page.goto(f"{site}/rate/{evaluation.pk}/")
    expect(page.locator(":focus")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**submitted=*")


def returned(comment: str) -> Evaluation:
    """A submitted evaluation that a lead returned with this comment."""
    evaluation = ready_to_submit()
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=timezone.now())
    lead = make_lead(project=evaluation.game.project)
    return_evaluation(evaluation=again(evaluation), comment=comment, by=lead, now=timezone.now())
    return again(evaluation)


@pytest.mark.parametrize(("evaluators", "is_flagged"), [(1, False), (2, True)])
def test_the_next_game_is_one_key_away(page: Page, live_server, evaluators: int, is_flagged: bool) -> None:
    project = make_rating_project(evaluator_count=evaluators)
    evaluation = ready_to_submit(project=project)
    make_game(project=project)
    if is_flagged:
        given = {"kind": "flag", "target": "game", "text": "?", "key": "f", "now": timezone.now()}
        remark(evaluation=evaluation, by=evaluation.evaluator, **given)
    submit_by_keys(page, live_server.url, evaluation)
    page.keyboard.press("Control+Enter")  # a second press is for the page before
    expect(page.locator("body.phase-read .text:focus")).to_have_count(1)
    assert f"/rate/{Evaluation.objects.get(state='draft').pk}/?submitted={evaluation.pk}" in page.url
    says = re.compile(rf"^Game {evaluation.game.number} submitted: \d of 7 pass$")
    expect(page.locator(".told")).to_have_text(says)
    page.keyboard.press("t")
    expect(page.locator(".item:focus")).to_have_count(1)
    assert not page.locator("#answer > *").count()


@pytest.mark.parametrize("evaluators", [1, 2])
def test_who_stays_with_the_game_has_the_next_in_focus(page: Page, live_server, evaluators: int) -> None:
    project = make_rating_project(evaluator_count=evaluators)
    evaluation = ready_to_submit(project=project)
    make_game(project=project)
    sign_in_as(page, live_server.url, evaluation.evaluator)
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/")
    page.get_by_role("button", name=re.compile("Submit and (see the verdict|stop here)")).click()
    page.wait_for_url(re.compile(r"/verdict/$" if evaluators == 1 else r"/\?submitted="))
    expect(focused(page)).to_have_text(re.compile("next game", re.IGNORECASE))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/rate/\d+/"))


def test_a_double_press_submits_nothing_else(page: Page, live_server) -> None:
    """Also where the next game is one that only waits for being submitted."""
    first = ready_to_submit()
    project, by, now = first.game.project, first.evaluator, timezone.now()
    submit_evaluation(evaluation=first, by=by, now=now)
    make_game(project=project)
    second = take_next_game(project=project, by=by, now=now)
    assert second is not None
    say_what_is_missing(second)
    reveal_roles(evaluation=second, by=by, now=now)
    say_what_is_missing(second)
    return_evaluation(
        evaluation=again(first), comment="Question 3 again.", by=make_lead(project=project), now=now
    )
    sign_in_as(page, live_server.url, by)
    page.goto(f"{live_server.url}/rate/{first.pk}/")
    press(page, "n")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/rate/{second.pk}/?submitted={first.pk}")
    page.keyboard.press("Control+Enter")
    expect(page.locator("body.phase-submit")).to_have_count(1)
    settle(page)
    assert again(second).state == "draft"
    while page.evaluate("performance.now()") < 1500:  # PAUSE of keys.js
        page.wait_for_timeout(50)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"{live_server.url}/?submitted={second.pk}")
    assert again(second).state == "submitted"


@pytest.mark.parametrize("evaluators", [1, 2])
def test_after_the_last_game_enter_leads_on(page: Page, live_server, evaluators: int) -> None:
    evaluation = ready_to_submit(project=make_rating_project(evaluator_count=evaluators))
    submit_by_keys(page, live_server.url, evaluation)
    expect(focused(page)).to_have_text(re.compile("Record game|My evaluations"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/verdict/" if evaluators == 1 else "**/mine/")


def test_recording_leaves_the_next_game_in_focus(page: Page, live_server) -> None:
    evaluation = ready_to_submit()
    by = evaluation.evaluator
    submit_evaluation(evaluation=evaluation, by=by, now=timezone.now())
    game = fresh(evaluation.game)
    make_game(project=game.project)
    record_verdict(game=game, basis_sha256=preview(game).basis_sha256, by=by, now=timezone.now())
    sign_in_as(page, live_server.url, by)
    page.goto(f"{live_server.url}/projects/{game.project.slug}/games/{game.number}/verdict/")
    expect(focused(page)).to_have_text(re.compile("next game", re.IGNORECASE))


def test_after_a_skip_the_next_game_is_one_enter_away(page: Page, live_server) -> None:
    project = make_rating_project()
    evaluation = start(project=project)
    make_game(project=project)
    open_rating_page(page, live_server.url, evaluation)
    page.keyboard.press("s")
    page.keyboard.type("I know this one")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?skipped=*")
    expect(page.get_by_role("status").filter(has_text="Skipped.")).to_have_count(1)
    expect(focused(page)).to_have_text(re.compile("next game", re.IGNORECASE))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/rate/\d+/"))


def test_a_returned_evaluation_opens_at_what_was_named_and_asks_before_it_goes_back(
    page: Page, live_server
) -> None:
    evaluation = returned("Question 3 again, please.")
    sign_in_as(page, live_server.url, evaluation.evaluator)
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/")
    expect(focused(page)).to_have_attribute("id", "item-question-3")
    press(page, "Enter")
    assert again(evaluation).state == "returned"
    press(page, "Control+Enter")
    note = page.locator("#unchanged")
    expect(note).to_contain_text("Nothing changed since it was returned. Submit all the same?")
    expect(focused(page)).to_have_attribute("id", "unchanged")
    press(page, "Enter", "Control+Enter", "Enter")
    assert again(evaluation).state == "returned", "the same keys again are no second act"
    press(page, "Tab", "Tab")
    expect(focused(page)).to_have_text("Submit all the same")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?submitted=*")
    assert again(evaluation).state == "submitted"


@pytest.mark.parametrize(
    ("width", "height", "more"), [(1366, 768, ""), (360, 740, ""), (360, 740, " Read it again." * 80)]
)
def test_a_returned_evaluation_opens_with_the_reason_in_view(
    page: Page, live_server, width, height, more
) -> None:
    evaluation = returned(f"The last reference to a vote is of one that nobody cast.{more}")
    last = max(load_state(evaluation).values["reference"], key=parse_subject)
    page.set_viewport_size({"width": width, "height": height})
    sign_in_as(page, live_server.url, evaluation.evaluator)
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/")
    item = page.locator(f"#item-reference-{last.replace('.', '-')}")
    expect(item).to_be_focused()
    expect(item.locator("blockquote")).to_be_in_viewport()
    expect(page.locator(".told .note p").first).to_be_in_viewport(ratio=0.1 if more else 1)


def test_a_returned_evaluation_opens_at_its_item_on_a_low_screen(page: Page, live_server) -> None:
    evaluation = returned("Question 3 again, please.")
    page.set_viewport_size({"width": 740, "height": 360})
    sign_in_as(page, live_server.url, evaluation.evaluator)
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/")
    expect(page.locator("#item-question-3")).to_be_focused()
    expect(page.get_by_text("Did any agent stand out")).to_be_in_viewport(ratio=1)


def test_what_was_changed_goes_back_at_once(page: Page, live_server) -> None:
    evaluation = returned("Question 3 again, please.")
    sign_in_as(page, live_server.url, evaluation.evaluator)
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/")
    expect(focused(page)).to_have_attribute("id", "item-question-3")
    press(page, "n")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/?submitted=*")


def test_a_returned_evaluation_is_submitted_without_script(browser, live_server) -> None:
    evaluation = returned("Question 3 again, please.")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in_as(page, live_server.url, evaluation.evaluator)
    page.goto(f"{live_server.url}/rate/{evaluation.pk}/")
    expect(page.locator("#step-engagement")).to_be_visible()
    page.get_by_role("link", name="Look at it").first.click()
    assert page.url.endswith("?step=engagement#item-question-3")
    page.locator("#steps a[data-step=review]").click()
    page.locator("#submit button").first.click()
    expect(page.locator("#unchanged")).to_contain_text("Nothing changed since it was returned.")
    assert again(evaluation).state == "returned"
    page.get_by_role("button", name="Submit all the same").click()
    page.wait_for_url("**/?submitted=*")
    context.close()


def test_no_page_opens_with_submit_in_focus(page: Page, live_server) -> None:
    evaluation = ready_to_submit()
    sign_in_as(page, live_server.url, evaluation.evaluator)
    for address in (f"/rate/{evaluation.pk}/", f"/rate/{evaluation.pk}/?step=review"):
        page.goto(f"{live_server.url}{address}")
        expect(focused(page)).to_have_attribute("data-step", "review")
        page.keyboard.press("Enter")
        settle(page)
    assert again(evaluation).state == "draft"


def suggested_game(count: int, references: int = 0) -> dict:
    game = game_of(12)
    texts = ["Bea voted for Ann in round 1."] * references + [SUGGESTED] * count
    for message, text in zip(
        game["messages"], texts + ["Good morning to you."] * (12 - len(texts)), strict=True
    ):
        message["message"] = text
    return game


def test_the_key_that_goes_on_stops_at_suggestions(page: Page, live_server) -> None:
    evaluation = start(project=make_rating_project(number="1.2"), content=suggested_game(2, references=1))
    say_engagement(evaluation)
    assert len(load_state(evaluation).judgeable.possible) == 2
    open_rating_page(page, live_server.url, evaluation)
    first = page.locator(".item[data-suggested]").first.get_attribute("id")
    press(page, "a")
    expect(focused(page)).not_to_have_attribute("id", first)  # an answer goes on to what must be judged
    press(page, "Alt+2", ".")
    expect(focused(page)).to_have_attribute("id", first)
    press(page, "d")
    expect(page.locator("[data-suggested]")).to_have_count(0)
    assert load_state(again(evaluation)).revealed >= {"suggestions:2.1-3.1"}
    expect(focused(page)).to_have_attribute("data-needs", "")


def test_suggestions_that_are_asked_are_items_with_one_key_for_each_answer(page: Page, live_server) -> None:
    evaluation = start(content=suggested_game(3, references=1))
    say_engagement(evaluation)
    open_rating_page(page, live_server.url, evaluation)
    press(page, "a")
    expect(focused(page)).to_have_attribute("id", "item-reference-2-1")
    press(page, "x")
    expect(focused(page)).to_have_attribute("id", "item-reference-3-1")
    press(page, "+")
    expect(focused(page)).to_have_attribute("id", "item-reference-3-1")
    press(page, "i")
    expect(focused(page)).to_have_attribute("id", "item-reference-4-1")
    press(page, "d")
    expect(page.locator("#step-references [data-needs]")).to_have_count(0)
    values = load_state(again(evaluation)).values
    assert values["reference"] == {"1.1": "accurate", "2.1": "not_a_reference", "3.1": "inaccurate"}
    assert values["missed"] == {"3.1": "yes"}


def test_a_game_without_references_opens_at_its_suggestions(page: Page, live_server) -> None:
    evaluation = start(project=make_rating_project(number="1.2"), content=suggested_game(2))
    say_engagement(evaluation)
    open_rating_page(page, live_server.url, evaluation)
    expect(page.locator("#step-references")).to_be_visible()
    expect(focused(page)).to_have_attribute("data-suggested", "")
    press(page, ".")
    expect(focused(page)).to_have_attribute("data-needs", "")


def test_buttons_of_judgements_are_large_enough_for_a_thumb(page: Page, live_server) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    heights = "all => all.map((one) => one.getBoundingClientRect().height).filter((height) => height)"
    for evaluation in (start(), start_test()):
        open_rating_page(page, live_server.url, evaluation)
        found = page.eval_on_selector_all(".item .button", heights)
        assert len(found) > 1  # the answers of one item
        assert min(found) >= 44


def test_the_queue_page_leads_home_when_nothing_is_left(page: Page, live_server) -> None:
    project = make_rating_project()
    person = make_member(project=project)
    sign_in_as(page, live_server.url, person)
    page.goto(f"{live_server.url}/projects/{project.slug}/queue/")
    expect(focused(page)).to_have_text("Home")
    make_game(project=project)
    assert take_next_game(project=project, by=person, now=timezone.now()) is not None
    assert Game.objects.count() == 1
    page.reload()
    expect(focused(page)).to_have_text(re.compile("next game", re.IGNORECASE))
