"""Prepared queries give what querysets give, for every value and on every database."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from discussions.core.judgement_kinds import MESSAGE_KINDS
from discussions.models import Evaluation, Remark
from discussions.rating.actions import reveal_roles
from discussions.rating.pages.evaluation import find_newest
from discussions.rating.queries import AnswerRecord, load_own_evaluation, load_state
from tests.factories.people import NOW, make_admin, make_member, make_project, moment
from tests.factories.rating import say_what_is_missing, start
from workspace.access.permissions import role_in
from workspace.database.prepared_queries import Prepared, insert_row, update_row
from workspace.models import Event, Membership, Project

pytestmark = [pytest.mark.services, pytest.mark.django_db]


def test_values_take_the_places_of_the_stand_ins_in_their_order():
    project = make_project(slug="here")
    query = Prepared(
        lambda key, slug: Project.objects.filter(slug=slug, pk=key).values_list("name", "created_at"),
        int,
        str,
    )
    assert query(project.pk, "here") == [(project.name, NOW)]
    assert query(project.pk, "it's %s") == []
    with CaptureQueriesContext(connection) as queries:
        assert query(project.pk + 1, "here") == []
    assert len(queries) == 1


def test_a_row_is_inserted_with_its_key_and_all_its_columns():
    evaluation = start()
    row = Remark(
        evaluation=evaluation, kind="comment", target="game", text="'; --", key="k", body_sha256="0" * 64,
        created_at=NOW, created_by=evaluation.evaluator,
    )  # fmt: skip
    insert_row(row)
    stored = Remark.objects.get(pk=row.pk)
    assert (stored.text, stored.created_at, stored.resolved_at) == ("'; --", NOW, None)
    assert not row._state.adding


def test_a_row_is_changed_only_as_it_was_read():
    project = make_project()
    assert update_row(Project, project.pk, {"name": "New", "next_game_number": 7}, next_game_number=1)
    assert not update_row(Project, project.pk, {"name": "Newer"}, next_game_number=1)
    project.refresh_from_db()
    assert (project.name, project.next_game_number) == ("New", 7)


def test_ones_own_evaluation_is_the_one_the_queryset_gives():
    evaluation = start()
    person = evaluation.evaluator
    found = load_own_evaluation(person, evaluation.pk)
    same = Evaluation.objects.visible_to(person).with_work().get(pk=evaluation.pk)
    assert found == same
    assert found.seed == same.seed
    assert (found.game, found.game.number, found.game.cost_usd) == (
        same.game,
        same.game.number,
        same.game.cost_usd,
    )
    assert found.game.project.slug == same.game.project.slug
    assert found.game.iteration.reveal == same.game.iteration.reveal
    assert found.measured.rubric_version.sha256 == same.measured.rubric_version.sha256
    assert found.game.source_id == same.game.source_id  # fetched when read
    assert load_own_evaluation(make_member(project=evaluation.game.project), evaluation.pk) is None
    assert load_own_evaluation(make_admin(), evaluation.pk) is None
    Membership.objects.filter(person=person).update(ended_at=NOW, ended_by=person)
    assert load_own_evaluation(person, evaluation.pk) is None


def test_roles_are_told_as_before():
    project = make_project()
    person = make_member(project=project)
    assert role_in(person, project) == "evaluator"
    assert role_in(person, make_project()) is None
    assert Event.objects.filter(role="system").exists()


def test_the_roles_are_saved_when_they_are_shown():
    evaluation = start()
    assert find_newest(evaluation.pk) == (None, False)
    say_what_is_missing(evaluation)
    judged, is_undoable = find_newest(evaluation.pk)
    assert is_undoable
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=moment(90))
    assert find_newest(evaluation.pk)[0] == moment(90) > judged


def test_a_judgement_leaves_the_samples_that_a_state_read_anew_would_have():
    evaluation = start(message_count=60)
    work = load_state(evaluation)
    assert set(work.drawn) == set(MESSAGE_KINDS)
    said = 0
    while asked := [one for one in work.visibility.missing if one.kind in MESSAGE_KINDS]:
        kind, subject = asked[0].kind, asked[0].subject
        value = "inconsistent" if kind == "role_consistency" else "no"
        work = work.changed(AnswerRecord(said, kind, subject, value, "", 1))
        assert work.drawn == replace(work).drawn
        said += 1
    assert said > 10
