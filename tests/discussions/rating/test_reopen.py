"""Reopening one's own submission in time, and a returned evaluation, which opens at what its lead named."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from discussions.adjudication.queries import handle_of
from discussions.core.evaluation_states import DRAFT, SUBMITTED
from discussions.games.actions import return_evaluation
from discussions.models import Evaluation, Slot
from discussions.models.slots import CALIBRATION
from discussions.planning.actions import change_rating_rule
from discussions.rating.actions import remark, reopen_evaluation, skip_game, submit_evaluation, undo
from discussions.rating.actions import return_to_game as resume
from discussions.rating.pages.evaluation import EvaluationQuery, rating_page
from discussions.rating.pages.lease import build_lease
from discussions.rating.queries import load_state
from discussions.verdicts.queries import complete_games, load_verdict_preview
from tests.factories.adjudication import TIE, breaches, list_evaluations, make_differing, resolve_difference
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.queue import finish, rated_once, until_repeated
from tests.factories.rating import load_again, ready_to_submit, say, start, submitted
from tests.factories.tampering import without_triggers
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, get_lead, preview, record
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def reopen(evaluation, *, by=None, minutes=29):
    """Reopen it so many minutes after it was submitted."""
    found = load_again(evaluation)
    return reopen_evaluation(evaluation=found, by=by or found.evaluator, now=NOW + minutes * MINUTE)


def set_rule(project, **given):
    """Change some of the project's rules."""
    rule = {
        "flags": "hold",
        "reopen_minutes": 30,
        "shows_differences": False,
        "records_at_submit": False,
    } | given
    return change_rating_rule(project=project, **rule, by=make_lead(project=project), now=NOW)


def test_a_reopened_evaluation_is_a_draft_that_does_not_count():
    evaluation = submitted()
    assert preview(evaluation.game).is_complete
    assert complete_games(evaluation.game.project).exists()
    reopen(evaluation)
    found, slot = load_again(evaluation), Slot.objects.get(pk=evaluation.slot_id)
    assert (found.state, slot.is_closed, slot.evaluator_id) == (DRAFT, False, evaluation.evaluator_id)
    assert slot.lease_until == NOW + 59 * MINUTE
    assert slot.awaiting_since is None
    assert load_verdict_preview(fresh(evaluation.game)).basis.evaluations == []
    assert not complete_games(evaluation.game.project).exists()
    event = Event.objects.get(verb="evaluation:reopened")
    assert (event.object_id, event.by_id) == (str(evaluation.pk), evaluation.evaluator_id)


def test_what_is_changed_then_counts_after_submitting_again():
    evaluation = submitted()
    reopen(evaluation)
    say(load_again(evaluation), "rating", "", "4.5", now=NOW + 30 * MINUTE)
    submit_evaluation(evaluation=load_again(evaluation), by=evaluation.evaluator, now=NOW + 31 * MINUTE)
    found = load_again(evaluation)
    assert (found.state, found.slot.lease_until) == (SUBMITTED, None)
    assert float(preview(evaluation.game).outcome.line("engagement").score) == 4.5
    reopen(evaluation, minutes=31 + 29)
    with pytest.raises(NotAllowed):
        reopen(evaluation, by=make_member(project=evaluation.game.project))


def test_a_second_call_changes_nothing():
    evaluation = submitted()
    reopen(evaluation)
    version = load_again(evaluation).version
    reopen(evaluation)
    assert load_again(evaluation).version == version
    assert Event.objects.filter(verb="evaluation:reopened").count() == 1


def test_the_projects_time_ends_it():
    evaluation = submitted()
    with pytest.raises(NotAllowed, match="30 minutes") as late:
        reopen(evaluation, minutes=30)
    assert late.value.code == "too_late"
    set_rule(evaluation.game.project, reopen_minutes=0)
    with pytest.raises(NotAllowed, match="stays as it is") as never:
        reopen(evaluation, minutes=0)
    assert never.value.code == "never"
    set_rule(evaluation.game.project, reopen_minutes=45)
    reopen(evaluation, minutes=44)


def test_a_verdict_ends_it():
    evaluation = submitted()
    record(evaluation.game, minutes=1)
    with pytest.raises(NotAllowed, match="verdict") as stands:
        reopen(evaluation, minutes=2)
    assert stands.value.code == "verdict_stands"


def test_nobody_else_and_no_draft_and_no_returned_one():
    evaluation = submitted()
    for person in (make_lead(project=evaluation.game.project), make_member(project=evaluation.game.project)):
        with pytest.raises(NotAllowed, match="Only the evaluator"):
            reopen(evaluation, by=person)
    return_evaluation(
        evaluation=load_again(evaluation), comment="Look again", by=get_lead(evaluation.game), now=NOW
    )
    with pytest.raises(NotAllowed) as returned:
        reopen(evaluation)
    assert returned.value.code == "open"


def test_a_decision_on_its_disagreements_ends_it():
    game = make_differing()
    first, _second = list_evaluations(game)
    reopen(first)
    submit_evaluation(evaluation=load_again(first), by=first.evaluator, now=NOW)
    resolve_difference(game, TIE, "yes", minutes=5)
    with pytest.raises(NotAllowed, match="resolved disagreements") as used:
        reopen(first)
    assert used.value.code == "adjudicated"


def test_a_calibration_game_is_not_reopened():
    evaluation = submitted()
    with without_triggers():
        Evaluation.objects.filter(pk=evaluation.pk).update(purpose=CALIBRATION)
    with pytest.raises(NotAllowed) as refusal:
        reopen(evaluation)
    assert refusal.value.code == "purpose"


def test_a_hidden_duplicate_is_not_reopened_since_its_evaluator_can_read_that_it_was_one(client, monkeypatch):
    monkeypatch.setattr("workspace.core.hidden_duplicates.APART", 0)
    repeat = finish(until_repeated(rated_once()))
    client.force_login(repeat.evaluator)
    assert "rated by you before" in client.get(reverse("mine")).content.decode()
    with pytest.raises(NotAllowed, match="rated this game before") as refusal:
        reopen(repeat)
    assert refusal.value.code == "purpose"


def test_with_hidden_duplicates_every_submitted_game_leads_to_the_same_page(client, monkeypatch):
    monkeypatch.setattr("workspace.core.hidden_duplicates.APART", 0)
    first = rated_once()
    client.force_login(first.evaluator)
    for submitted_game in (first, finish(until_repeated(first))):
        answer = client.post(reverse("submit_evaluation", args=[submitted_game.pk]), {"key": "s"})
        assert (answer.status_code, answer["Location"]) == (303, f"/?submitted={submitted_game.pk}")


def test_everything_still_fits_together_afterwards():
    game = make_differing()
    first, _second = list_evaluations(game)
    reopen(first)
    assert breaches(NOW + 30 * MINUTE) == []
    submit_evaluation(evaluation=load_again(first), by=first.evaluator, now=NOW + 31 * MINUTE)
    assert breaches(NOW + 32 * MINUTE) == []


def test_pages_offer_it_while_it_can_be_done(client):
    evaluation = ready_to_submit()
    client.force_login(evaluation.evaluator)
    submit_evaluation(evaluation=load_again(evaluation), by=evaluation.evaluator, now=timezone.now())
    address = reverse("reopen_evaluation", args=[evaluation.pk])
    game = evaluation.game
    pages = (
        f"/?submitted={evaluation.pk}",
        reverse("mine"),
        reverse("verdict", args=[game.project.slug, game.number]),
    )
    for page in pages:
        assert f'action="{address}"' in client.get(page).content.decode(), page
    answer = client.post(address)
    assert (answer.status_code, answer["Location"]) == (303, reverse("rate", args=[evaluation.pk]))
    assert load_again(evaluation).state == DRAFT
    submit_evaluation(evaluation=load_again(evaluation), by=evaluation.evaluator, now=timezone.now())
    set_rule(game.project, reopen_minutes=0)
    for page in pages:
        assert f'action="{address}"' not in client.get(page).content.decode(), page
    assert client.post(address).status_code == 403


def test_a_program_reopens_by_the_same_rule():
    evaluation = ready_to_submit()
    submit_evaluation(evaluation=load_again(evaluation), by=evaluation.evaluator, now=timezone.now())
    program = program_of(evaluation.evaluator)
    answer = program.post(f"evaluations/{evaluation.pk}/reopen/")
    assert (answer.status_code, answer.json()["state"]) == (200, DRAFT)
    submit_evaluation(evaluation=load_again(evaluation), by=evaluation.evaluator, now=timezone.now())
    set_rule(evaluation.game.project, reopen_minutes=0)
    refused = program.post(f"evaluations/{evaluation.pk}/reopen/")
    assert refused.status_code == 403


@pytest.mark.parametrize(
    ("given", "field"),
    [({"flags": "sometimes"}, "flags"), ({"reopen_minutes": -1}, "reopen_minutes"),
     ({"reopen_minutes": 10_081}, "reopen_minutes")],
)  # fmt: skip
def test_a_rule_that_is_none_is_refused(given, field):
    with pytest.raises(Unacceptable) as refusal:
        set_rule(submitted().game.project, **given)
    assert refusal.value.field == field


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
        ("The last reference to a vote is of one that nobody cast.", "references", "item-reference-11-1"),
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
