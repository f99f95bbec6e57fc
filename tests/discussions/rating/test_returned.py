"""A returned evaluation opens at what its lead named, and goes back unchanged only after a second act."""

import re

import pytest
from django.urls import reverse

from discussions.adjudication.queries import handle_of
from discussions.games.actions import return_evaluation
from discussions.models import Evaluation, Slot
from discussions.rating.actions import remark, reopen_evaluation, skip_game, submit_evaluation, undo
from discussions.rating.actions import return_to_game as resume
from discussions.rating.pages.evaluation import EvaluationQuery, rating_page
from discussions.rating.pages.lease import build_lease
from discussions.rating.queries import load_state
from tests.factories.people import NOW, make_lead, moment
from tests.factories.rating import load_again, ready_to_submit, say, start, submitted
from tests.factories.tokens import program_of
from workspace.models import Event

pytestmark = pytest.mark.django_db

ASKED = "Nothing changed since it was returned. Submit all the same?"


def returned(comment="Look again.", evaluation=None):
    """An evaluation that a lead returned with this comment."""
    evaluation = evaluation or submitted()
    lead = make_lead(project=evaluation.game.project)
    return_evaluation(evaluation=load_again(evaluation), comment=comment, by=lead, now=moment(60))
    return load_again(evaluation)


def open_page(evaluation, **wanted):
    lease = build_lease(evaluation=evaluation, now=moment(61))
    return rating_page(work=load_state(evaluation), wanted=EvaluationQuery("n", **wanted), lease=lease)


def submit(client, evaluation, **given):
    client.force_login(evaluation.evaluator)
    return client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit", **given})


@pytest.mark.parametrize(
    ("comment", "step", "item"),
    [
        ("The last reference to a vote is of one that nobody cast.", "references", ""),
        ("Memory accuracy: look again.", "references", ""),
        ("Please look at the votes of round 1, and at your rating.", "references", ""),
        ("Strategic depth: you are too generous.", "depth", ""),
        ("Are these messages really off topic?", "coherence", ""),
        ("Anti-repetition: all of these are habits.", "repetition", ""),
        ("You would know Ann by her language.", "identify", ""),
        ("Question 3 again, please.", "engagement", "item-question-3"),
        ("Your rating does not fit.", "engagement", "item-rating-"),
        ("The questions, please.", "engagement", ""),
        ("See message 2.", "references", "item-reference-2-1"),
        ("Somewhere you slipped.", "engagement", ""),
        ("Look at message 999.", "engagement", ""),
    ],
)
def test_it_opens_at_what_the_comment_speaks_of(comment, step, item):
    evaluation = returned(comment)
    page = open_page(evaluation)
    assert (page.step, page.returned.step, page.returned.item_id) == (step, step, item)


def test_of_the_items_on_a_message_the_one_in_the_named_step_comes_first():
    evaluation = submitted(message_count=40)
    roles = open_page(load_again(evaluation), step="roles").roles.items
    page = open_page(returned(f"Does message {roles[-1].message} fit the role?", evaluation))
    assert (page.step, page.returned.item_id) == ("roles", roles[-1].id)


def test_a_message_without_items_is_shown_itself():
    evaluation = submitted(message_count=40)
    page = open_page(load_again(evaluation), step="depth")
    asked = {row.message for row in page.references + page.depth + page.coherence + page.roles.items}
    free = min(set(range(1, 41)) - asked)
    page = open_page(returned(f"Read message {free} again.", evaluation))
    assert page.returned.item_id == f"message-{free}"
    assert page.step != "review"


def test_without_a_name_it_opens_at_the_flag_then_at_what_is_missing():
    evaluation = ready_to_submit()
    by = evaluation.evaluator
    remark(evaluation=evaluation, kind="flag", target="message:2", text="?", key="f", by=by, now=NOW)
    submit_evaluation(evaluation=evaluation, by=by, now=NOW)
    page = open_page(returned("See what I wrote.", evaluation))
    assert page.returned.item_id == "item-reference-2-1"
    evaluation = returned("Look again.")
    say(evaluation, "rating", "", "", now=moment(61))
    page = open_page(load_again(evaluation))
    assert (page.step, page.returned.item_id) == ("engagement", "item-rating-")


def test_a_step_that_is_asked_for_is_opened_all_the_same():
    evaluation = returned("Question 3")
    assert [open_page(evaluation, step=step).step for step in ("depth", "review")] == ["depth", "review"]


def test_the_page_says_what_was_named_and_focuses_it(client):
    evaluation = returned("Question 3 again, please.")
    client.force_login(evaluation.evaluator)
    page = client.get(reverse("rate", args=[evaluation.pk])).content.decode()
    assert 'data-named="item-question-3"' in page
    assert re.search(r'href="[^"]*\?step=engagement#item-question-3"\s+data-go="item-question-3"', page)
    assert "Look at it: Engagement" in " ".join(page.split())
    # Another step that was asked for keeps its own first item.
    other = client.get(reverse("rate", args=[evaluation.pk]), {"step": "depth"}).content.decode()
    assert "data-named" not in other


def test_a_lead_names_a_metric_in_the_form(client):
    evaluation = submitted()
    game = evaluation.game
    client.force_login(make_lead(project=game.project))
    form = client.get(reverse("game", args=[game.project.slug, game.number])).content.decode()
    assert '<option value="Engagement"' in form
    address = reverse("return_evaluation", args=[game.project.slug, game.number, handle_of(evaluation.pk)])
    given = {"about": "Engagement", "comment": "Is the reference in message 2 dull?"}
    assert client.post(address, {"about": "Nonsense", "comment": "x"}).status_code == 422
    assert client.post(address, {"about": "Engagement", "comment": ""}).status_code == 422
    assert client.post(address, given).status_code == 303
    evaluation = load_again(evaluation)
    assert evaluation.returned_comment == "Engagement: Is the reference in message 2 dull?"


def test_nothing_changed_needs_a_second_act(client):
    evaluation = returned()
    told = submit(client, evaluation)
    text = " ".join(told.content.decode().split())
    assert told.status_code == 422
    assert ASKED in text and "Submit all the same" in text
    assert 'name="unchanged" value="yes"' in text
    assert submit(client, evaluation).status_code == 422, "the same act again is no second act"
    assert load_again(evaluation).state == "returned"
    assert submit(client, evaluation, unchanged="yes").status_code == 303
    assert load_again(evaluation).state == "submitted"


def test_the_answer_to_the_script_asks_in_the_same_words(client):
    evaluation = returned()
    client.force_login(evaluation.evaluator)
    address = reverse("submit_evaluation", args=[evaluation.pk])
    told = client.post(address, {"key": "n:submit"}, headers={"HX-Request": "true"})
    assert (told.status_code, told.content.decode().count(ASKED)) == (422, 1)
    assert 'id="submit-unchanged"' in told.content.decode()


def change_rating(evaluation):
    say(evaluation, "rating", "", "4.0", now=moment(61))


def change_and_undo(evaluation):
    change_rating(evaluation)
    undo(
        evaluation=load_again(evaluation),
        kind="",
        subject="",
        key="u",
        by=evaluation.evaluator,
        now=moment(62),
    )


def comment_on_it(evaluation):
    by, kind = evaluation.evaluator, "comment"
    remark(evaluation=evaluation, kind=kind, target="game", text="No.", key="c", by=by, now=moment(61))


def lose_and_resume(evaluation):
    by = evaluation.evaluator
    skip_game(evaluation=evaluation, reason="ill", by=by, now=moment(61))
    resume(evaluation=load_again(evaluation), by=by, now=moment(62))


@pytest.mark.parametrize(
    ("act", "is_asked"),
    [
        (change_rating, False),
        (comment_on_it, False),
        (change_and_undo, True),
        (lose_and_resume, True),
    ],
)
def test_what_counts_as_a_change(client, act, is_asked):
    evaluation = returned()
    act(evaluation)
    told = submit(client, evaluation)
    assert (told.status_code, ASKED in told.content.decode()) == ((422, True) if is_asked else (303, False))


def test_without_the_audit_line_the_submission_is_the_moment(client):
    evaluation = submitted()
    Evaluation.objects.filter(pk=evaluation.pk).update(state="returned", returned_comment="Look again.")
    Slot.objects.filter(pk=evaluation.slot_id).update(is_closed=False)
    assert not Event.objects.filter(verb="evaluation:returned").exists()
    assert submit(client, evaluation).status_code == 303, "the last line says that it was submitted"


def test_after_its_second_submission_a_reopened_one_is_not_asked_about(client):
    evaluation = returned()
    change_rating(evaluation)
    assert submit(client, evaluation).status_code == 303
    stored = load_again(evaluation)
    reopen_evaluation(evaluation=stored, by=stored.evaluator, now=stored.submitted_at)
    assert submit(client, evaluation).status_code == 303


def test_the_api_refuses_what_is_unchanged_and_takes_it_with_a_flag():
    evaluation = returned()
    program = program_of(evaluation.evaluator)
    address = f"evaluations/{evaluation.pk}/"
    assert program.get(address).json()["returned_comment"] == "Look again."
    told = program.post(f"{address}submit/")
    assert (told.status_code, told.json()["code"], told.json()["detail"]) == (422, "unchanged", ASKED)
    assert program.post(f"{address}submit/", {"unchanged": False}).status_code == 422
    assert program.post(f"{address}submit/", {"unchanged": "yes"}).status_code in (400, 422)
    assert load_again(evaluation).state == "returned"
    assert program.post(f"{address}submit/", {"unchanged": True}).json()["state"] == "submitted"


def test_what_was_never_returned_is_not_asked_about(client):
    assert submit(client, ready_to_submit()).status_code == 303
    fresh = start()
    assert submit(client, fresh).status_code == 422
