"""Whoever can see the secrets of a game, or could, neither takes it nor goes on judging it; what is typed stays."""

import pytest
from django.urls import reverse

from discussions.actions.finishing import return_to_game, reveal_roles, skip_game, submit_evaluation
from discussions.actions.judging import undo
from discussions.actions.remarking import remark
from discussions.actions.taking import take_next_game
from discussions.models import Judgement, Slot
from discussions.pages.home import home_page
from discussions.pages.queue import queue_page
from tests import factories
from tests.factories import NOW, make_admin, make_member, membership_of, moment
from tests.rated import game_of, make_game, make_rating_project, ready_to_submit, say, start
from workspace.actions.projects import add_member, change_role, end_membership
from workspace.core.refusals import NotAllowed
from workspace.models import Person

pytestmark = pytest.mark.django_db


def give_role(person, project, role, *, minutes=1):
    now = membership_of(person=person, project=project)
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
    membership = membership_of(person=evaluation.evaluator, project=evaluation.game.project)
    end_membership(membership=membership, by=make_admin(), now=moment(1))


def make_later_game(project):
    by = Person.objects.system(now=NOW)
    return factories.make_game(project=project, by=by, now=moment(5), **game_of(12))


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
    assert home_page(person=person, now=moment(2)).places[0].free_count == 0
    new = make_later_game(project)
    assert take_next_game(project=project, by=person, now=moment(6)).game_id == new.pk != old.pk


def test_what_a_former_lead_had_begun_does_not_stand_in_the_way():
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
