"""Places kept by name: dealt to their person alone and first of all, given and taken back by leads."""

import pytest

from discussions.actions.assigning import assign_game, assign_games, unassign_game
from discussions.actions.finishing import return_to_game, skip_game
from discussions.actions.leasing import expire_leases, release_place
from discussions.actions.ruling_queue import change_queue
from discussions.actions.taking import take_next_game
from discussions.core.leases import LEASE
from discussions.models import Evaluation, Slot
from discussions.models.queue_rules import rule_of
from tests.factories import NOW, make_admin, make_lead, make_member, membership_of, moment
from tests.rated import make_game, make_rating_project, start, submitted
from workspace.actions.accounts import system_person
from workspace.actions.projects import change_role
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def crew(*, games=1, k=1):
    """A project with games, a lead and an evaluator."""
    project = make_rating_project(evaluator_count=k)
    made = [make_game(project=project) for _ in range(games)]
    return project, made, make_lead(project=project), make_member(project=project)


def take(project, person, now=NOW):
    return take_next_game(project=project, by=person, now=now)


def test_a_kept_place_is_dealt_to_its_person_first_and_to_nobody_else():
    project, games, lead, person = crew(games=5)
    slot = assign_game(game=games[3], person=person, by=lead, now=NOW)
    assert assign_game(game=games[3], person=person, by=lead, now=moment(1)) == slot
    assert Event.objects.filter(verb="game:assigned").count() == 1
    others = [make_member(project=project) for _ in range(5)]
    taken = [take(project, other) for other in others]
    assert sorted(one.game.number for one in taken if one) == [1, 2, 3, 5]
    assert take(project, person).game == games[3]
    slot.refresh_from_db()
    assert (slot.evaluator, slot.assigned_to, slot.assigned_by) == (person, person, lead)


def test_several_at_once_in_the_order_they_were_given_and_all_or_none():
    project, games, lead, person = crew(games=3)
    given = {"project": project, "person": person, "by": lead, "now": NOW}
    assert len(assign_games(numbers=[3, 1], **given)) == 2
    with pytest.raises(Unacceptable, match="no games 7 and 8"):
        assign_games(numbers=[2, 7, 8], **given)
    with pytest.raises(Unacceptable, match="at least one game"):
        assign_games(numbers=[], **given)
    assert Slot.objects.filter(assigned_to=person).count() == 2
    assert take(project, person).game == games[0]


def test_who_cannot_be_given_a_game():
    project, games, lead, person = crew(games=2)
    begun = take(project, person)
    given = {"game": begun.game, "by": lead, "now": NOW}
    with pytest.raises(NotAllowed, match="Only team leads"):
        assign_game(**given | {"by": person}, person=person)
    with pytest.raises(NotAllowed, match=r"began game \d already"):
        assign_game(person=person, **given)
    for stranger in (make_member(project=make_rating_project()), make_lead(project=project)):
        with pytest.raises(NotAllowed, match="is no evaluator of this project"):
            assign_game(person=stranger, **given)
    with pytest.raises(Conflict, match="has no free place"):
        assign_game(person=make_member(project=project), **given)
    free = next(game for game in games if game != begun.game)
    former = make_lead(project=project)
    change_role(
        membership=membership_of(person=former, project=project),
        role="evaluator",
        by=make_admin(),
        now=moment(1),
    )
    with pytest.raises(NotAllowed, match="could see its roles"):
        assign_game(game=free, person=former, by=lead, now=moment(2))
    type(free).objects.filter(pk=free.pk).update(withdrawn_at=NOW, withdrawn_by=lead)
    with pytest.raises(NotAllowed, match=r"Game \d was withdrawn"):
        assign_game(game=free, person=make_member(project=project), by=lead, now=moment(2))
    assert not Slot.objects.exclude(assigned_to=None).exists()


def test_a_kept_place_is_taken_back_while_nobody_has_begun():
    project, (game,), lead, person = crew()
    slot = assign_game(game=game, person=person, by=lead, now=NOW)
    with pytest.raises(NotAllowed, match="Only team leads"):
        unassign_game(slot=slot, by=person, now=NOW)
    unassign_game(slot=slot, by=lead, now=NOW)
    unassign_game(slot=slot, by=lead, now=NOW)
    assert Event.objects.filter(verb="game:unassigned").count() == 1
    other = make_member(project=project)
    assign_game(game=game, person=other, by=lead, now=NOW)
    take(project, other)
    with pytest.raises(Conflict, match="Release the place instead"):
        unassign_game(slot=slot, by=lead, now=NOW)
    slot.refresh_from_db()
    assert (slot.assigned_to, slot.evaluator) == (other, other)


def test_a_kept_place_stays_kept_when_time_ends_and_goes_on_with_the_next_game():
    project, (game,), lead, person = crew()
    assign_game(game=game, person=person, by=lead, now=NOW)
    begun, later = take(project, person), NOW + LEASE
    assert expire_leases(by=system_person(now=later), now=later) == 1
    assert take(project, make_member(project=project), later) is None
    assert take(project, person, later) == begun
    assert Evaluation.objects.get().state == "draft"


@pytest.mark.parametrize("way", ["skipped", "released"])
def test_a_kept_place_that_is_given_back_is_for_everybody(way):
    project, (game,), lead, person = crew()
    assign_game(game=game, person=person, by=lead, now=NOW)
    begun = take(project, person)
    if way == "skipped":
        skip_game(evaluation=begun, reason="I know it", by=person, now=NOW)
    else:
        release_place(evaluation=begun, reason="", by=lead, now=NOW)
    assert take(project, person) is None
    assert take(project, make_member(project=project)).game == game


def test_a_place_kept_for_another_is_not_free_for_who_comes_back():
    evaluation = start()
    project = evaluation.game.project
    skip_game(evaluation=evaluation, reason="later", by=evaluation.evaluator, now=NOW)
    assign_game(
        game=evaluation.game, person=make_member(project=project), by=make_lead(project=project), now=NOW
    )
    with pytest.raises(Conflict, match="somebody else has it now"):
        return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def test_the_rule_of_a_queue():
    project, _games, lead, person = crew()
    given = {"project": project, "now": NOW}
    with pytest.raises(NotAllowed, match="Only team leads"):
        change_queue(order="oldest", repeat_percent=0, by=person, **given)
    for order, percent in (("newest", 0), ("oldest", 51), ("oldest", -1)):
        with pytest.raises(Unacceptable):
            change_queue(order=order, repeat_percent=percent, by=lead, **given)
    assert rule_of(project).order == "random"
    change_queue(order="oldest", repeat_percent=10, by=lead, **given)
    change_queue(order="oldest", repeat_percent=10, by=lead, **given)
    rule = rule_of(project)
    assert (rule.order, rule.repeat_percent, rule.changed_by) == ("oldest", 10, lead)
    assert Event.objects.filter(verb="queue:changed").count() == 1


def test_what_was_handed_in_is_not_given_to_its_evaluator_again():
    done = submitted(project=make_rating_project(evaluator_count=2))
    with pytest.raises(NotAllowed, match="nobody rates a game twice"):
        assign_game(game=done.game, person=done.evaluator, by=make_lead(project=done.game.project), now=NOW)
