"""Many reach for places at the same moment, each with a connection of its own: on SQLite, and on PostgreSQL as well."""

from concurrent.futures import ThreadPoolExecutor
from copy import copy
from datetime import timedelta

import pytest
from django.db import connection, connections

from discussions.checks.evaluations import EVALUATION_CHECKS
from discussions.models import Evaluation, QueueRule, Slot
from discussions.queue.actions import assign_game, take_next_game
from discussions.rating.actions import return_to_game
from discussions.slots.actions import expire_leases, release_slot
from discussions.slots.core import LEASE
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_game, make_rating_project, say, start
from workspace.core.refusals import Conflict, NotAllowed
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


LATER = NOW + LEASE
# How many rate a game, and in which order games come; the others by `make faults` alone.
CROWDS = [
    (3, "random"),
    pytest.param(1, "random", marks=pytest.mark.long),
    pytest.param(2, "oldest", marks=pytest.mark.long),
]


def answer_question(evaluation, value, key):
    """One answer, as of a request: with a row of its own, which no other thread writes to."""
    return say(copy(evaluation), "coherence", "5", value, version=0, key=key)


def run_at_once(work, people):
    """Call `work` for each of them, in a thread and with a connection of its own; what it gave or refused."""

    def alone(person):
        try:
            return work(person)
        except (NotAllowed, Conflict) as refused:
            return refused
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(alone, people))


def nothing_is_wrong():
    """Whether every check of evaluations and places finds nothing."""
    return [said for check in EVALUATION_CHECKS for said in check.find(LATER)] == []


@pytest.mark.parametrize(("count", "order"), CROWDS)
def test_many_at_once_never_share_a_place(count, order):
    project = make_rating_project(evaluator_count=count)
    for _ in range(4):
        make_game(project=project, message_count=6)
    QueueRule.objects.create(
        project=project, order=order, changed_at=NOW, changed_by=make_lead(project=project)
    )
    people = [make_member(project=project) for _ in range(50 if connection.vendor == "postgresql" else 8)]
    taken = run_at_once(lambda person: take_next_game(project=project, by=person, now=NOW), people)
    got = [evaluation for evaluation in taken if evaluation]
    places = 4 * count
    assert len(got) == min(places, len(people)), connection.vendor
    assert len({evaluation.slot_id for evaluation in got}) == len(got) == Evaluation.objects.count()
    assert Slot.objects.exclude(evaluator=None).count() == len(got)
    assert nothing_is_wrong()


def test_two_people_reach_for_the_last_game_and_one_gets_it():
    project = make_rating_project()
    make_game(project=project, message_count=6)
    people = [make_member(project=project) for _ in range(2)]
    taken = run_at_once(lambda person: take_next_game(project=project, by=person, now=NOW), people)
    assert sorted(bool(evaluation) for evaluation in taken) == [False, True]


def test_one_person_clicking_many_times_has_one_game():
    project = make_rating_project(evaluator_count=3)
    make_game(project=project, message_count=6), make_game(project=project, message_count=6)
    person = make_member(project=project)
    taken = run_at_once(lambda person: take_next_game(project=project, by=person, now=NOW), [person] * 12)
    assert len({evaluation.pk for evaluation in taken}) == 1


def test_one_act_sent_many_times_at_once_is_stored_once():
    evaluation = start()
    saved = run_at_once(lambda _: answer_question(evaluation, "yes", "k"), [evaluation.evaluator] * 8)
    assert {act.revision.pk for act in saved} == {evaluation.judgements.get().revisions.get().pk}
    assert sorted(act.is_repeated for act in saved) == [False] + [True] * 7


def test_two_answers_on_one_version_are_one_answer_and_one_conflict():
    evaluation = start()

    def answer(value):
        try:
            return answer_question(evaluation, value, f"k-{value}").revision.value
        except Conflict as refused:
            return refused

    answers = run_at_once(answer, ["yes", "no"])
    stored = evaluation.judgements.get().value
    assert stored in answers
    assert [refusal.detail["stored"] for refusal in answers if isinstance(refusal, Conflict)] == [stored]


def test_a_save_and_the_end_of_the_lease_at_once_lose_nothing():
    evaluation = start()
    other = make_member(project=evaluation.game.project)
    by = system_person(now=NOW)
    works = [
        lambda: say(evaluation, "coherence", "5", "yes", now=LATER),
        lambda: expire_leases(by=by, now=LATER),
        lambda: expire_leases(by=by, now=LATER),
        lambda: take_next_game(project=evaluation.game.project, by=other, now=LATER),
    ]
    saved, *ended, taken = run_at_once(lambda work: work(), works)
    stored = Evaluation.objects.get(pk=evaluation.pk)
    is_saved = not isinstance(saved, NotAllowed)
    assert stored.judgements.count() == is_saved
    assert (stored.state == "draft") == is_saved == (taken is None)
    assert sum(ended) <= 2
    assert nothing_is_wrong()


def test_a_save_and_a_release_at_once_lose_nothing():
    evaluation = start()
    lead = make_lead(project=evaluation.game.project)
    works = [
        lambda: say(evaluation, "coherence", "5", "yes"),
        lambda: release_slot(
            evaluation=Evaluation.objects.get(pk=evaluation.pk), reason="", by=lead, now=NOW
        ),
    ]
    saved, _released = run_at_once(lambda work: work(), works)
    stored = Evaluation.objects.get(pk=evaluation.pk)
    assert (stored.state, stored.judgements.count()) == ("lapsed", not isinstance(saved, NotAllowed))
    assert Slot.objects.get().evaluator is None
    assert nothing_is_wrong()


def test_two_who_take_up_the_same_place_again_and_one_gets_it():
    first = start()
    project, by = first.game.project, system_person(now=NOW)
    expire_leases(by=by, now=LATER)
    second = take_next_game(project=project, by=make_member(project=project), now=LATER)
    assert second.slot_id == first.slot_id
    expire_leases(by=by, now=LATER + LEASE)
    back = run_at_once(
        lambda held: return_to_game(evaluation=held, by=held.evaluator, now=LATER + timedelta(hours=2)),
        [first, second],
    )
    assert sorted(isinstance(outcome, Conflict) for outcome in back) == [False, True]
    assert sorted(Evaluation.objects.values_list("state", flat=True)) == ["draft", "lapsed"]
    assert nothing_is_wrong()


def test_a_place_is_kept_for_somebody_who_takes_the_game_at_this_moment():
    project = make_rating_project(evaluator_count=2)
    game = make_game(project=project, message_count=6)
    person, lead = make_member(project=project), make_lead(project=project)
    works = [
        lambda: assign_game(game=game, person=person, by=lead, now=NOW),
        lambda: take_next_game(project=project, by=person, now=NOW),
    ]
    kept, taken = run_at_once(lambda work: work(), works)
    assert taken.game_id == game.pk
    assert isinstance(kept, NotAllowed) or kept.pk == taken.slot_id
    assert nothing_is_wrong()


def test_places_end_go_back_and_are_taken_at_the_same_moment():
    """Three places a game: half of the leases just ended, a lead releases some others, and everybody reaches out."""
    project = make_rating_project(evaluator_count=3)
    for _ in range(4):
        make_game(project=project, message_count=6)
    lead, system = make_lead(project=project), system_person(now=NOW)
    count = 50 if connection.vendor == "postgresql" else 8
    people = [make_member(project=project) for _ in range(count)]
    holders = people[: 12 if count > 12 else 6]
    held = [
        take_next_game(project=project, by=person, now=NOW if place % 2 else LATER - timedelta(minutes=1))
        for place, person in enumerate(holders)
    ]
    released = [Evaluation.objects.get(pk=evaluation.pk) for evaluation in held[::4]]
    works = [
        *(
            lambda entry=held: release_slot(evaluation=entry, reason="", by=lead, now=LATER)
            for held in released
        ),
        *(lambda: expire_leases(by=system, now=LATER) for _ in range(2)),
        *(lambda by=by: take_next_game(project=project, by=by, now=LATER) for by in people),
    ]
    run_at_once(lambda work: work(), works[:count])
    working = Evaluation.objects.filter(state="draft").values_list("slot", "evaluator")
    assert sorted(working) == sorted(Slot.objects.exclude(evaluator=None).values_list("pk", "evaluator"))
    assert Slot.objects.count() == 12
    rounds = [take_next_game(project=project, by=person, now=LATER) for person in people]
    assert sum(evaluation is not None for evaluation in rounds) == min(
        12, Slot.objects.exclude(evaluator=None).count()
    )
    assert nothing_is_wrong()
