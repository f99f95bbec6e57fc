"""Rows of stages and iterations: what the database itself refuses."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from discussions.core.iteration_states import BASELINE, CHANGE, IMPORTING, RATING, UNSORTED
from discussions.models import Iteration, Stage
from tests.factories.people import NOW, make_admin
from tests.factories.tampering import refused
from tests.factories.transcripts import make_games_project
from workspace.database.append_only import guards

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def ground():
    """A stage of a project, and what its iterations need."""
    project, by = make_games_project(), make_admin()
    stage = Stage.objects.create(project=project, number=1, name="One", created_at=NOW, created_by=by)
    version = Iteration.objects.get(project=project).rubric_version
    return {
        "project": project,
        "stage": stage,
        "rubric_version": version,
        "created_at": NOW,
        "created_by": by,
    }


def make(ground, number, **given):
    given = {"kind": BASELINE, "state": IMPORTING, "name": str(number)} | given
    return Iteration.objects.create(number=number, **(ground | given))


@pytest.mark.parametrize(
    "given",
    [
        {"kind": UNSORTED},
        {"state": "always_open"},
        {"state": RATING},
        {"kind": CHANGE},
        {"least_games": 0},
        {"opened_at": NOW},
        {"evaluator_count": 11},
    ],
)
def test_iterations_that_cannot_be_are_refused(ground, given):
    with pytest.raises(IntegrityError), transaction.atomic():
        make(ground, 2, **given)
    make(ground, 2)


def test_a_change_has_its_reference_and_a_baseline_has_none(ground):
    first = make(ground, 2)
    make(ground, 3, kind=CHANGE, compared_with=first, baseline=first)
    with pytest.raises(IntegrityError), transaction.atomic():
        make(ground, 4, compared_with=first)


def test_a_project_has_one_open_stage(ground):
    again = {
        "project": ground["project"],
        "name": "Two",
        "created_at": NOW,
        "created_by": ground["created_by"],
    }
    with pytest.raises(IntegrityError), transaction.atomic():
        Stage.objects.create(number=2, **again)
    Stage.objects.update(closed_at=NOW, closed_by=ground["created_by"])
    Stage.objects.create(number=2, **again)


def test_what_was_asked_is_final_once_it_is_open_for_rating(ground):
    iteration = make(ground, 2)
    assert not refused("UPDATE discussions_iteration SET prompt = 'Play.' WHERE number = 2")
    Iteration.objects.filter(pk=iteration.pk).update(
        state=RATING, opened_at=NOW, opened_by=ground["created_by"]
    )
    for column in ("prompt", "target", "material", "change_note"):
        assert refused(f"UPDATE discussions_iteration SET {column} = 'x' WHERE number = 2"), column
    assert refused("DELETE FROM discussions_iteration WHERE number = 2")
    assert not refused("UPDATE discussions_iteration SET state = 'decided' WHERE number = 2")


def test_stages_are_not_deleted_and_keep_their_number(ground):
    assert refused("DELETE FROM discussions_stage")
    assert refused("UPDATE discussions_stage SET number = 9")
    assert not refused("UPDATE discussions_stage SET goal = 'Fascinating.'")


def test_decisions_and_figures_by_hand_are_guarded():
    assert {"discussions_decision", "discussions_manualfigure"} <= set(guards())
    assert not guards()["discussions_decision"].columns
    assert "input_tokens" in guards()["discussions_game"].columns


def test_only_leads_and_admins_know_of_stages(ground):
    from tests.factories.people import make_lead, make_member

    project = ground["project"]
    make(ground, 2)
    for person, count in (
        (make_lead(project=project), 1),
        (make_admin(), 1),
        (make_member(project=project), 0),
    ):
        assert Stage.objects.visible_to(person).count() == count
        assert Iteration.objects.visible_to(person).filter(project=project).count() == 2 * count


def test_a_statement_is_whole(ground):
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE discussions_stage SET statement = 'Fascinating.'")
