"""Places kept by name: given to their person alone and first of all, given and taken back by leads.

Hidden duplicates: a game comes again in a place of its own, looks like any other, and counts nowhere.

Whoever can see the secrets of a game, or could, neither takes it nor goes on judging it; what is typed stays.
"""

import pytest
from django.urls import reverse

import workspace.core.hidden_duplicates
from discussions.checks.actions import CHECKS
from discussions.games.actions import return_evaluation
from discussions.home.pages.home import build_home
from discussions.models import Evaluation, Game, Judgement, Slot
from discussions.models.queue_rules import load_queue_rule
from discussions.models.slots import RATING, REPEAT
from discussions.queue.actions import (
    assign_game,
    assign_games,
    change_queue,
    release_slots_of_departed,
    take_next_game,
    unassign_game,
)
from discussions.queue.views import queue_page
from discussions.rating.actions import (
    remark,
    return_to_game,
    reveal_roles,
    skip_game,
    submit_evaluation,
    undo,
)
from discussions.rating.queries import load_state
from discussions.slots.actions import expire_leases, release_slot
from discussions.slots.core import LEASE
from discussions.verdicts.queries import load_basis
from tests.factories.people import NOW, load_membership, make_admin, make_lead, make_member, moment
from tests.factories.queue import finish, rated_once, until_repeated
from tests.factories.rating import (
    game_of,
    make_game,
    make_rating_project,
    ready_to_submit,
    say,
    start,
    submitted,
)
from tests.factories.transcripts import import_game
from tests.factories.verdicts import fresh
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, Person
from workspace.people.actions.people import system_person
from workspace.people.actions.projects import add_member, change_role, end_membership

pytestmark = pytest.mark.django_db


def crew(*, games=1, k=1):
    """A project with games, a lead and an evaluator."""
    project = make_rating_project(evaluator_count=k)
    made = [make_game(project=project) for _ in range(games)]
    return project, made, make_lead(project=project), make_member(project=project)


def take(project, person, now=NOW):
    return take_next_game(project=project, by=person, now=now)


def test_a_kept_place_is_given_to_its_person_first_and_to_nobody_else():
    project, games, lead, person = crew(games=5)
    slot = assign_game(game=games[3], person=person, by=lead, now=NOW)
    assert assign_game(game=games[3], person=person, by=lead, now=moment(1)) == slot
    assert Event.objects.filter(verb="game:assigned").count() == 1
    others = [make_member(project=project) for _ in range(5)]
    taken = [take(project, other) for other in others]
    assert sorted(evaluation.game.number for evaluation in taken if evaluation) == [1, 2, 3, 5]
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
    started = take(project, person)
    given = {"game": started.game, "by": lead, "now": NOW}
    with pytest.raises(NotAllowed, match="Only team leads"):
        assign_game(**given | {"by": person}, person=person)
    with pytest.raises(NotAllowed, match=r"started game \d already"):
        assign_game(person=person, **given)
    for stranger in (make_member(project=make_rating_project()), make_lead(project=project)):
        with pytest.raises(NotAllowed, match="is no evaluator of this project"):
            assign_game(person=stranger, **given)
    with pytest.raises(Conflict, match="has no open slot"):
        assign_game(person=make_member(project=project), **given)
    free = next(game for game in games if game != started.game)
    former = make_lead(project=project)
    change_role(
        membership=load_membership(person=former, project=project),
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


def test_a_kept_place_is_taken_back_while_nobody_has_started():
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
    with pytest.raises(Conflict, match="Release the slot instead"):
        unassign_game(slot=slot, by=lead, now=NOW)
    slot.refresh_from_db()
    assert (slot.assigned_to, slot.evaluator) == (other, other)


def test_a_kept_place_stays_kept_when_time_ends_and_goes_on_with_the_next_game():
    project, (game,), lead, person = crew()
    assign_game(game=game, person=person, by=lead, now=NOW)
    started, later = take(project, person), NOW + LEASE
    assert expire_leases(by=system_person(now=later), now=later) == 1
    assert take(project, make_member(project=project), later) is None
    assert take(project, person, later) == started
    assert Evaluation.objects.get().state == "draft"


@pytest.mark.parametrize("way", ["skipped", "released"])
def test_a_kept_place_that_is_given_back_is_for_everybody(way):
    project, (game,), lead, person = crew()
    assign_game(game=game, person=person, by=lead, now=NOW)
    started = take(project, person)
    if way == "skipped":
        skip_game(evaluation=started, reason="I know it", by=person, now=NOW)
    else:
        release_slot(evaluation=started, reason="", by=lead, now=NOW)
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
    assert load_queue_rule(project).order == "closest"
    change_queue(order="oldest", repeat_percent=10, by=lead, **given)
    change_queue(order="oldest", repeat_percent=10, by=lead, **given)
    rule = load_queue_rule(project)
    assert (rule.order, rule.repeat_percent, rule.changed_by) == ("oldest", 10, lead)
    assert Event.objects.filter(verb="queue:changed").count() == 1


def test_what_was_submitted_is_not_given_to_its_evaluator_again():
    done = submitted(project=make_rating_project(evaluator_count=2))
    with pytest.raises(NotAllowed, match="nobody rates a game twice"):
        assign_game(game=done.game, person=done.evaluator, by=make_lead(project=done.game.project), now=NOW)


@pytest.fixture
def near(monkeypatch):
    """One game in between is enough, so that tests need not rate twenty."""
    monkeypatch.setattr(workspace.core.hidden_duplicates, "APART", 0)


def test_a_repeat_has_a_place_of_its_own_and_a_number_that_no_game_has(near):
    first = rated_once()
    again = until_repeated(first)
    assert (again.purpose, again.evaluator, again.state) == (REPEAT, first.evaluator, "draft")
    assert Evaluation.objects.filter(game=again.game, evaluator=first.evaluator, purpose=RATING).exists()
    assert again.game_number == again.shown_number != again.game.number
    later = make_game(project=first.game.project)
    numbers = list(Game.objects.filter(project=first.game.project).values_list("number", flat=True))
    assert again.shown_number not in numbers
    assert later.number == max(numbers) == len(numbers)
    assert again.slot.assigned_to == first.evaluator
    assert again.slot.lease_until > moment(20)


def test_where_repeats_come_no_number_tells_them_from_other_games(near):
    again = until_repeated(rated_once())
    own = Evaluation.objects.filter(evaluator=again.evaluator).order_by("pk")
    first, *others = own
    assert (first.shown_number, first.rated_as) == (None, 0)
    shown = [evaluation.shown_number for evaluation in others]
    assert shown and all(100 <= number < 10_000 for number in shown)
    assert len(set(shown)) == len(shown)
    for evaluation in others[:-1]:
        assert (evaluation.purpose, evaluation.game_number) == (RATING, evaluation.game.number)
        assert evaluation.rated_as == evaluation.shown_number
        evaluation.submitted_at = None
        assert evaluation.game_number == evaluation.shown_number
    assert (again.game_number, again.rated_as) == (again.shown_number, 0)


def test_a_shown_number_is_drawn_once_for_a_person(near, monkeypatch):
    first = rated_once()
    monkeypatch.setattr("discussions.queue.actions.keyed_text", lambda *_given: "0" * 64)
    for _game in range(2):
        make_game(project=first.game.project)
        taken = take_next_game(project=first.game.project, by=first.evaluator, now=NOW)
        finish(taken)
    shown = (
        Evaluation.objects.filter(evaluator=first.evaluator)
        .order_by("pk")
        .values_list("shown_number", flat=True)
    )
    assert list(shown) == [None, 100, 101]


def test_the_same_messages_are_asked_about_the_second_time(near):
    again = until_repeated(rated_once())
    first = Evaluation.objects.with_work().get(game=again.game, evaluator=again.evaluator, purpose=RATING)
    wider = load_state(first).samples
    for metric, sample in load_state(again).samples.items():
        assert len(sample) == 5 and {*sample} <= {*wider[metric]}, "more is asked for after answers alone"
    assert load_state(again).progress.values == {}


def test_a_repeat_changes_no_verdict_and_frees_no_place(near):
    again = until_repeated(rated_once())
    game = fresh(again.game)
    before, places = load_basis(game), Slot.objects.filter(game=game, purpose=RATING).count()
    finish(again)
    assert load_basis(fresh(game)) == before
    assert Slot.objects.filter(game=game, purpose=RATING).count() == places
    assert [says for check in CHECKS for says in check.find(NOW)] == []


def test_no_game_comes_a_third_time(near):
    first = rated_once()
    repeated = []
    for _turn in range(3):
        again = until_repeated(first)
        repeated.append(again.game_id)
        finish(again)
    assert len(set(repeated)) == 3


def test_without_a_rule_or_far_enough_apart_nothing_comes_again():
    for percent in (0, 50):
        first = rated_once(percent)
        for turn in range(6):
            make_game(project=first.game.project)
            taken = take_next_game(project=first.game.project, by=first.evaluator, now=moment(turn))
            assert taken.purpose == RATING
            finish(taken)
        assert take_next_game(project=first.game.project, by=first.evaluator, now=moment(9)) is None


def give_role(person, project, role, *, minutes=1):
    now = load_membership(person=person, project=project)
    return change_role(membership=now, role=role, by=make_admin(), now=moment(minutes))


def make_lead_of_it(evaluation):
    give_role(evaluation.evaluator, evaluation.game.project, "lead")


def make_admin_of_all(evaluation):
    Person.objects.filter(pk=evaluation.evaluator_id).update(is_admin=True)
    evaluation.evaluator.is_admin = True


def make_lead_for_a_while(evaluation):
    make_lead_of_it(evaluation)
    give_role(evaluation.evaluator, evaluation.game.project, "evaluator", minutes=2)


def take_out(evaluation):
    membership = load_membership(person=evaluation.evaluator, project=evaluation.game.project)
    end_membership(membership=membership, by=make_admin(), now=moment(1))


def make_later_game(project):
    by = Person.objects.system(now=NOW)
    return import_game(project=project, by=by, now=moment(5), **game_of(12))


CHANGES = {
    make_lead_of_it: "You are a team lead or an admin here now",
    make_admin_of_all: "You are a team lead or an admin here now",
    make_lead_for_a_while: "You led this project while this game was in it",
    take_out: "You do not belong to this project any more",
}


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_more_is_judged_and_what_was_typed_stays(change):
    evaluation = ready_to_submit()
    before = list(Judgement.objects.values_list("kind", "subject", "value", "version"))
    change(evaluation)
    by = evaluation.evaluator
    given = {"evaluation": evaluation, "by": by, "now": NOW}
    for act in (
        lambda: say(evaluation, "rating", "", "4.0"),
        lambda: undo(key="undo-1", **given),
        lambda: remark(kind="comment", target="game", text="a", key="c", **given),
        lambda: reveal_roles(**given),
        lambda: submit_evaluation(**given),
    ):
        with pytest.raises(NotAllowed, match=CHANGES[change]):
            act()
    assert list(Judgement.objects.values_list("kind", "subject", "value", "version")) == before
    evaluation.refresh_from_db()
    assert evaluation.state == "draft"


@pytest.mark.parametrize("change", [make_lead_of_it, make_lead_for_a_while])
def test_the_place_can_be_given_back_but_not_taken_again(change):
    evaluation = start()
    change(evaluation)
    skip_game(evaluation=evaluation, reason="I lead now", by=evaluation.evaluator, now=NOW)
    assert Slot.objects.get(pk=evaluation.slot_id).evaluator is None
    with pytest.raises(NotAllowed, match=CHANGES[change]):
        return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


@pytest.mark.parametrize("change", [make_lead_of_it, make_lead_for_a_while])
def test_the_page_says_so_and_offers_to_skip_only(client, change):
    evaluation = start()
    change(evaluation)
    client.force_login(evaluation.evaluator)
    page = client.get(reverse("rate", args=[evaluation.pk])).content.decode()
    assert CHANGES[change] in page
    assert 'name="act"' not in page
    assert reverse("skip_game", args=[evaluation.pk]) in page
    assert reverse("submit_evaluation", args=[evaluation.pk]) not in page
    refused = client.post(reverse("judge", args=[evaluation.pk]), {"act": "question~2~0~yes", "nonce": "n"})
    assert refused.status_code == 403
    assert CHANGES[change] in refused.content.decode()


def test_a_former_lead_takes_only_games_that_came_later():
    project = make_rating_project()
    person = make_member(project=project)
    give_role(person, project, "lead", minutes=-60)
    old = make_game(project=project)
    give_role(person, project, "evaluator", minutes=1)
    assert take_next_game(project=project, by=person, now=moment(2)) is None
    page = queue_page(person=person, project=project)
    assert (page.free_count, len(page.reasons)) == (0, 1)
    assert "while you led this project: 1." in page.reasons[0]
    assert build_home(person=person, now=moment(2))["projects"][0]["free_count"] == 0
    new = make_later_game(project)
    assert take_next_game(project=project, by=person, now=moment(6)).game_id == new.pk != old.pk


def test_what_a_former_lead_had_started_does_not_stand_in_the_way():
    evaluation = start()
    project, person = evaluation.game.project, evaluation.evaluator
    make_lead_for_a_while(evaluation)
    new = make_later_game(project)
    assert take_next_game(project=project, by=person, now=moment(6)).game_id == new.pk


def test_whoever_comes_back_as_an_evaluator_goes_on():
    evaluation = start()
    project, person = evaluation.game.project, evaluation.evaluator
    take_out(evaluation)
    add_member(project=project, person=person, role="evaluator", by=make_admin(), now=moment(2))
    say(evaluation, "rating", "", "4.0")
    assert take_next_game(project=project, by=person, now=NOW) == evaluation


def test_slots_of_people_who_left_go_to_others_and_their_work_is_kept():
    """A returned evaluation and an assignment have no lease: without the sweep their games waited for ever."""
    project, (first, second, third), lead, member = crew(games=3)
    assign_games(project=project, numbers=[first.number, second.number], person=member, by=lead, now=NOW)
    returned = finish(take(project, member))
    return_evaluation(evaluation=returned, comment="Look again.", by=lead, now=moment(1))
    other = make_member(project=project)
    by = system_person(now=NOW)
    assert release_slots_of_departed(by=by, now=moment(2)) == 0
    admin = make_admin()
    end_membership(membership=load_membership(person=member, project=project), by=admin, now=moment(3))
    assert release_slots_of_departed(by=by, now=moment(4)) == 2
    assert Evaluation.objects.get(pk=returned.pk).state == "lapsed"
    assert Judgement.objects.filter(evaluation=returned).exists()
    assert {finish(take(project, other, moment(5))).game_id for _each in range(3)} == {
        first.pk,
        second.pk,
        third.pk,
    }
    verbs = Event.objects.filter(by=by).values_list("verb", flat=True)
    assert {"place:released", "game:unassigned"} <= set(verbs)
    assert release_slots_of_departed(by=by, now=moment(9)) == 0
    assert [says for check in CHECKS for says in check.find(moment(9))] == []
