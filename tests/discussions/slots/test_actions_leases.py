"""Leases: work renews them, time and leads end them, what was judged stays, and it goes on while a place is free."""

import json
from contextlib import suppress
from datetime import timedelta

import pytest
from django.core.management import call_command

from discussions.models import Evaluation, Slot
from discussions.queue.actions import take_next_game
from discussions.rating.actions import (
    remark,
    return_to_game,
    reveal_roles,
    skip_game,
    submit_evaluation,
    undo,
)
from discussions.slots.actions import expire_leases, release_slot, renew_lease
from discussions.slots.core import LEASE
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import (
    load_again,
    make_game,
    make_rating_project,
    ready_to_submit,
    say,
    start,
    submitted,
)
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event
from workspace.people.actions.people import system_person

LATER = NOW + LEASE + timedelta(seconds=1)


def expire(now=LATER, **given):
    return expire_leases(by=system_person(now=now), now=now, **given)


def lapsed(**given):
    """An evaluation with one answer whose lease has ended."""
    evaluation = start(**given)
    say(evaluation, "coherence", "5", "yes")
    assert expire() == 1
    return load_again(evaluation)


def taken_by_another(evaluation, now=LATER):
    other = make_member(project=evaluation.game.project)
    taken = take_next_game(project=evaluation.game.project, by=other, now=now)
    assert taken.game_id == evaluation.game_id
    return taken


ACTS = {
    "judge": lambda evaluation, now: say(evaluation, "coherence", "6", "yes", now=now),
    "undo": lambda evaluation, now: undo(evaluation=evaluation, key="u", by=evaluation.evaluator, now=now),
    "remark": lambda evaluation, now: remark(
        evaluation=evaluation,
        kind="flag",
        target="message:3",
        text="",
        key="f",
        by=evaluation.evaluator,
        now=now,
    ),
    "renew": lambda evaluation, now: renew_lease(evaluation=evaluation, by=evaluation.evaluator, now=now),
}


@pytest.mark.django_db
@pytest.mark.parametrize("act", ACTS)
def test_work_renews_the_lease_once_in_two_minutes(act):
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", now=moment(1))
    assert Slot.objects.get().lease_until == NOW + LEASE
    ACTS[act](load_again(evaluation), moment(5))
    assert Slot.objects.get().lease_until == moment(5) + LEASE


@pytest.mark.django_db
def test_revealing_renews_and_handing_in_ends_the_lease():
    evaluation = ready_to_submit()
    place = Slot.objects.get()
    assert place.lease_until == NOW + LEASE
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=moment(20))
    assert Slot.objects.get().lease_until == moment(20) + LEASE
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=moment(21))
    assert (Slot.objects.get().lease_until, Slot.objects.get().is_closed) == (None, True)
    assert expire(moment(1000)) == 0
    with pytest.raises(NotAllowed, match="was submitted"):
        renew_lease(evaluation=load_again(evaluation), by=evaluation.evaluator, now=moment(22))


@pytest.mark.django_db
def test_a_lease_that_ended_gives_the_place_back_and_keeps_the_work():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    evaluation = load_again(evaluation)
    assert expire(NOW + LEASE - timedelta(seconds=1)) == 0
    assert expire(project=make_rating_project()) == 0
    assert expire(project=evaluation.game.project) == 1
    assert expire() == 0
    place, current = Slot.objects.get(), load_again(evaluation)
    assert (place.evaluator, place.taken_at, place.lease_until, place.is_closed) == (None, None, None, False)
    assert (current.state, current.version, current.judgements.count()) == (
        "lapsed",
        evaluation.version + 1,
        1,
    )
    event = Event.objects.latest("pk")
    assert (event.verb, event.role, event.by.is_system) == ("lease:ended", "system", True)
    assert json.loads(event.detail)["person"] == evaluation.evaluator_id


@pytest.mark.django_db
def test_the_sweep_ends_leases():
    evaluation = start()
    Slot.objects.update(lease_until=moment(-60))
    with suppress(SystemExit):  # where the tests' broker is away
        call_command("sweep")
    assert load_again(evaluation).state == "lapsed"


@pytest.mark.django_db
def test_an_act_on_what_lapsed_takes_the_place_up_again():
    evaluation = lapsed()
    say(evaluation, "coherence", "6", "yes", now=LATER)
    current = load_again(evaluation)
    assert (current.state, current.judgements.count(), current.slot.lease_until) == (
        "draft",
        2,
        LATER + LEASE,
    )
    assert Slot.objects.get().evaluator == evaluation.evaluator
    verbs = list(Event.objects.order_by("-pk").values_list("verb", flat=True)[:2])
    assert verbs == ["judgement:made", "evaluation:resumed"]


@pytest.mark.django_db
def test_what_lapsed_can_be_submitted_while_its_place_is_free():
    evaluation = ready_to_submit()
    expire()
    submit_evaluation(evaluation=load_again(evaluation), by=evaluation.evaluator, now=LATER)
    assert (load_again(evaluation).state, Slot.objects.get().is_closed) == ("submitted", True)


@pytest.mark.django_db
@pytest.mark.parametrize("act", ACTS)
def test_an_act_on_what_lapsed_is_refused_once_the_place_is_taken(act):
    evaluation = lapsed()
    taken_by_another(evaluation)
    with pytest.raises(NotAllowed, match="somebody else has it now"):
        ACTS[act](evaluation, LATER)
    assert (load_again(evaluation).state, load_again(evaluation).judgements.count()) == ("lapsed", 1)
    with pytest.raises(Conflict, match="somebody else has it now"):
        return_to_game(evaluation=load_again(evaluation), by=evaluation.evaluator, now=LATER)


@pytest.mark.django_db
def test_what_lapsed_is_taken_up_again_from_the_list_by_its_evaluator_alone():
    evaluation = lapsed()
    with pytest.raises(NotAllowed, match="Only the evaluator"):
        return_to_game(evaluation=evaluation, by=make_member(project=evaluation.game.project), now=LATER)
    return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=LATER)
    assert load_again(evaluation).state == "draft"


@pytest.mark.django_db
def test_a_place_whose_lease_ended_is_free_before_the_sweep_comes():
    evaluation = start()
    other = make_member(project=evaluation.game.project)
    assert take_next_game(project=evaluation.game.project, by=other, now=moment(1)) is None
    assert take_next_game(project=evaluation.game.project, by=other, now=LATER).game == evaluation.game
    assert load_again(evaluation).state == "lapsed"


@pytest.mark.django_db
def test_who_comes_back_before_the_sweep_still_has_the_place():
    evaluation = start()
    found = take_next_game(project=evaluation.game.project, by=evaluation.evaluator, now=LATER)
    assert (found, Slot.objects.get().lease_until) == (evaluation, LATER + LEASE)


@pytest.mark.django_db
def test_a_lead_takes_a_place_back_and_nothing_is_lost():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    lead = make_lead(project=evaluation.game.project)
    given = {"evaluation": load_again(evaluation), "now": moment(1)}
    with pytest.raises(NotAllowed, match="Only team leads"):
        release_slot(reason="", by=evaluation.evaluator, **given)
    with pytest.raises(Unacceptable, match="at most 2,000"):
        release_slot(reason="x" * 2001, by=lead, **given)
    release_slot(reason="You are on holiday", by=lead, **given)
    release_slot(reason="again", by=lead, **given)
    current = load_again(evaluation)
    assert (current.state, current.released_reason, current.judgements.count()) == (
        "lapsed",
        "You are on holiday",
        1,
    )
    assert Slot.objects.get().evaluator is None
    assert Event.objects.filter(verb="place:released", by=lead).count() == 1
    with pytest.raises(NotAllowed, match="released this slot: You are on holiday"):
        say(current, "coherence", "6", "yes", now=moment(2))
    return_to_game(evaluation=load_again(evaluation), by=evaluation.evaluator, now=moment(3))
    assert (load_again(evaluation).state, load_again(evaluation).released_reason) == ("draft", "")


@pytest.mark.django_db
def test_what_was_submitted_or_given_back_cannot_be_released():
    done = submitted()
    skipped = start()
    skip_game(evaluation=skipped, reason="later", by=skipped.evaluator, now=NOW)
    for evaluation in (done, skipped):
        with pytest.raises(Conflict, match="or gave its slot back, meanwhile"):
            release_slot(
                evaluation=evaluation, reason="", by=make_lead(project=evaluation.game.project), now=moment(1)
            )


@pytest.mark.django_db
def test_what_was_sent_back_comes_first_and_has_no_lease_until_it_is_opened():
    evaluation = submitted()
    project, person = evaluation.game.project, evaluation.evaluator
    make_game(project=project)
    started = take_next_game(project=project, by=person, now=NOW)
    Evaluation.objects.filter(pk=evaluation.pk).update(state="returned", returned_comment="Look at message 3")
    Slot.objects.filter(pk=evaluation.slot_id).update(is_closed=False)
    assert expire() == 1
    assert load_again(evaluation).state == "returned"
    return_to_game(evaluation=load_again(started), by=person, now=LATER)
    assert take_next_game(project=project, by=person, now=LATER) == evaluation
    assert Slot.objects.get(pk=evaluation.slot_id).lease_until == LATER + LEASE
    assert expire(LATER + LEASE) == 2
    assert load_again(evaluation).state == "lapsed"
