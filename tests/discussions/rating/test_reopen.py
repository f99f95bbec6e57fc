"""Reopening one's own submission: until a lead has used it, within the project's time, with all that follows."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from discussions.core.evaluation_states import DRAFT, SUBMITTED
from discussions.games.actions import return_evaluation
from discussions.models import Evaluation, Slot
from discussions.models.slots import CALIBRATION
from discussions.planning.actions import change_rating_rule
from discussions.rating.actions import reopen_evaluation, submit_evaluation
from discussions.verdicts.queries import complete_games, load_verdict_preview
from tests.factories.adjudication import TIE, breaches, list_evaluations, make_differing, resolve_difference
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.queue import finish, rated_once, until_repeated
from tests.factories.rating import load_again, ready_to_submit, say, submitted
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
