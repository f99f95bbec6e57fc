"""Stages open, are signed, and close when the next one is opened through its gate."""

import re

import msgspec
import pytest

from discussions.iterations.actions import StagePlan, open_next_stage, open_project, open_stage, sign_stage
from discussions.iterations.queries import compute_stage_gate, load_gate, load_history
from discussions.models import Game, Iteration, Stage
from rubric.core.records import DISCUSSION
from rubric.models import Rubric, RubricVersion
from rubric.versions.actions import publish_first_versions
from tests.factories.iterations import (
    decide_on,
    figures,
    get_lead,
    history,
    make_baseline,
    make_iteration,
    make_stage,
)
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_person, moment
from tests.factories.transcripts import make_games_project
from tests.site.pseudo_locale import install
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, Project

pytestmark = pytest.mark.django_db


NEXT = StagePlan(name="Stage 2", goal="Cheap enough to run daily.")


def again(stage):
    return Stage.objects.select_related("stated_by", "project").get(pk=stage.pk)


def open_next(stage, by=None, reason=""):
    return open_next_stage(
        stage=again(stage), plan=NEXT, by=by or get_lead(stage), now=moment(90), reason=reason
    )


def sign(stage, text="I watch them to the end.", by=None):
    sign_stage(stage=again(stage), text=text, by=by or get_lead(stage), now=moment(80))


def succeed(stage, times=3, **given):
    """So many iterations in a row that pass everything."""
    for number in range(times):
        games = [figures(**given)] * 3
        make_iteration(stage=stage, games=games, decision="keep" if number else "", minutes=1 + 5 * number)


def test_the_first_stage_is_opened_by_a_lead_with_the_gate_it_reads(stage):
    other = make_stage(streak_unit="game", engagement_rule="every_game", goal=" Win. ")
    assert (other.number, other.name, other.goal) == (1, "Stage 1", "Win.")
    assert (other.streak_unit, other.engagement_rule) == ("game", "every_game")
    assert (stage.streak_unit, stage.engagement_rule) == ("iteration", "average")
    assert Event.objects.filter(verb="stage:opened").count() == 2


def test_a_second_stage_is_only_opened_through_the_gate(stage):
    with pytest.raises(Conflict, match="the next one is created on the page of its gate"):
        open_stage(project=stage.project, plan=NEXT, by=get_lead(stage), now=moment(1))


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        (StagePlan(name=" "), "name"),
        (StagePlan(name="x" * 201), "name"),
        (StagePlan(name="One", goal="x" * 2001), "goal"),
        (StagePlan(name="One", streak_unit="day"), "streak_unit"),
        (StagePlan(name="One", engagement_rule="never"), "engagement_rule"),
    ],
)
def test_a_stage_that_cannot_be_is_refused(plan, field):
    project = make_games_project()
    with pytest.raises(Unacceptable) as refusal:
        open_stage(project=project, plan=plan, by=make_lead(project=project), now=moment())
    assert refusal.value.field == field
    assert not Stage.objects.exists()


def test_a_lead_signs_once_that_the_games_are_fascinating(stage):
    with pytest.raises(Unacceptable, match="Say in a sentence"):
        sign(stage, text="  ")
    sign(stage)
    signed = again(stage)
    assert (signed.statement, signed.stated_by) == ("I watch them to the end.", get_lead(stage))
    with pytest.raises(NotAllowed, match=f"{get_lead(stage).name} signed this already"):
        sign(stage, text="More so.")
    event = Event.objects.get(verb="stage:stated")
    assert bytes_hash(b"I watch them to the end.") in event.detail


def test_two_who_sign_at_once_leave_one_statement(stage):
    stale = again(stage)
    sign(stage)
    with pytest.raises(Conflict, match="Somebody signed this first"):
        sign_stage(stage=stale, text="Mine.", by=get_lead(stage), now=moment(81))


def test_the_gate_opens_on_a_streak_a_statement_and_the_cache(stage):
    succeed(stage)
    with pytest.raises(NotAllowed, match="No lead has signed yet"):
        open_next(stage)
    sign(stage)
    made = open_next(stage)
    assert (made.number, made.name, made.goal) == (2, "Stage 2", NEXT.goal)
    closed = again(stage)
    assert (closed.closed_at, closed.closed_by, closed.override_reason) == (moment(90), get_lead(stage), "")
    gate = msgspec.json.decode(closed.door)
    assert (gate["is_open"], gate["missing"]) == (True, [])
    event = Event.objects.get(verb="stage:closed")
    assert bytes_hash(closed.door.encode()) in event.detail


@pytest.mark.parametrize(
    ("given", "times", "says"),
    [
        ({"cost": 2.5}, 3, "game 7 cost 2.50 dollars"),
        ({"cost": None}, 3, "the cost of games .* is not reported"),
        ({"cache": 0.7}, 3, "must be above 70"),
        ({"cache": None}, 3, "cache hit rate of games .* is not reported"),
        ({"engagement": 2.5}, 3, "engagement"),
        ({}, 2, "2 of 3 successes in a row"),
    ],
)
def test_whatever_is_missing_keeps_the_gate_closed_and_is_named(stage, given, times, says):
    succeed(stage, times, **given)
    sign(stage)
    with pytest.raises(NotAllowed, match=says):
        open_next(stage)
    assert again(stage).closed_at is None
    assert Stage.objects.count() == 1


def test_reverted_iterations_are_skipped(stage):
    succeed(stage, 2)
    make_iteration(stage=stage, games=[figures(engagement=1)] * 3, decision="revert", minutes=30)
    make_iteration(stage=stage, games=[figures()] * 3, decision="keep", minutes=40)
    sign(stage)
    assert open_next(stage).number == 2


def test_an_admin_opens_a_closed_gate_with_a_reason_that_stays(stage):
    make_iteration(stage=stage, games=[figures(cost=2.5)] * 3)
    admin = make_admin()
    with pytest.raises(Unacceptable, match="Say why the next stage is created"):
        open_next(stage, by=admin)
    assert again(stage).closed_at is None
    open_next(stage, by=admin, reason=" The budget was raised. ")
    closed = again(stage)
    assert (closed.override_reason, closed.closed_by) == ("The budget was raised.", admin)
    gate = msgspec.json.decode(closed.door)
    assert gate["is_open"]
    assert gate["override"]["says"] == "The budget was raised."
    assert len(gate["missing"]) >= 2


def test_a_closed_stage_is_read_in_any_language_and_told_plainly_in_its_audit_line(stage, monkeypatch):
    make_iteration(stage=stage, games=[figures(cost=2.5)] * 3)
    install(monkeypatch)
    open_next(stage, by=make_admin(), reason="The budget was raised.")
    says = "game 1 cost 2.50 dollars, success needs less than 2.00"
    told = msgspec.json.decode(Event.objects.get(verb="stage:closed").detail)["missing"]
    assert says in told[0]
    gate = load_gate(again(stage))
    assert re.sub("[⟦⟧]", "", gate.streak.steps[0].reasons[0]) == says != gate.streak.steps[0].reasons[0]
    assert re.sub("[⟦⟧]", "", gate.missing[0]) == re.sub("[⟦⟧]", "", gate.streak.says) == told[0]
    monkeypatch.undo()
    assert load_gate(again(stage)).streak.steps[0].reasons[0] == says


def test_a_stage_that_was_closed_before_is_shown_as_it_was_stored(stage):
    make_iteration(stage=stage, games=[figures(cost=2.5)] * 3)
    gate = compute_stage_gate(stage, load_history(stage))
    stage.door = canonical_bytes(gate).decode()
    assert load_gate(stage) == gate


def test_a_lead_has_no_use_of_a_reason_and_an_open_gate_needs_none(stage):
    succeed(stage)
    with pytest.raises(NotAllowed, match="Only an admin can open it anyway"):
        open_next(stage, reason="I am in a hurry.")
    sign(stage)
    open_next(stage, by=make_admin(), reason="Not needed.")
    assert again(stage).override_reason == ""


def test_a_closed_stage_takes_nothing_more(stage):
    make_baseline(stage=stage)
    open_next(stage, by=make_admin(), reason="On with it.")
    for act in (lambda: open_next(stage, by=make_admin(), reason="Again."), lambda: sign(stage)):
        with pytest.raises(NotAllowed, match="Stage 1 is closed"):
            act()
    with pytest.raises(NotAllowed, match="Stage 1 is closed"):
        make_baseline(stage=again(stage))
    second = Stage.objects.get(number=2)
    assert make_baseline(stage=second).number == 2


def test_only_leads_open_and_sign(stage):
    other = make_member(project=stage.project)
    project = make_games_project()
    with pytest.raises(NotAllowed, match="Only team leads"):
        open_stage(project=project, plan=NEXT, by=other, now=moment())
    with pytest.raises(NotAllowed, match="Only team leads"):
        sign(stage, by=other)
    with pytest.raises(NotAllowed, match="Only team leads"):
        open_next(stage, by=other)


def test_a_streak_of_games_counts_games():
    stage = make_stage(streak_unit="game")
    make_iteration(stage=stage, games=[figures()] * 3)
    sign(stage)
    assert Game.objects.count() == 3
    assert open_next(stage).number == 2
    assert history(stage).iterations[0].decision is None


def test_superseding_a_decision_changes_the_streak(stage):
    succeed(stage)
    last = history(stage).iterations[-1]

    decide_on(iteration=Iteration.objects.get(pk=last.id), choice="revert", minutes=60)
    sign(stage)
    with pytest.raises(NotAllowed, match="2 of 3 successes in a row"):
        open_next(stage)


def test_a_migrated_database_has_the_newest_discussion_version():
    version = RubricVersion.objects.newest(DISCUSSION)
    record = version.to_record()
    assert (record.kind, record.version, version.number) == (DISCUSSION, "1.3", "1.3")
    assert version.published_by.is_system
    assert version.sha256 == bytes_hash(version.body.encode()) == bytes_hash(canonical_bytes(record))


def test_the_first_version_says_what_the_rubric_says():
    record = RubricVersion.objects.newest(DISCUSSION).to_record()
    thresholds = {criterion.key: criterion.threshold for criterion in record.criteria}
    assert thresholds == {
        "memory_accuracy": 80,
        "strategic_depth": 60,
        "coherence": 70,
        "role_consistency": 80,
        "personality_diversity": 50,
        "anti_repetition": 90,
        "engagement": 3,
    }
    assert [criterion.key for criterion in record.criteria if criterion.is_mandatory] == ["engagement"]
    assert sum(len(criterion.advice) for criterion in record.criteria) == 22
    assert (record.parameters["pass_count"], record.parameters["cost_limit_usd"]) == (5, 3)


def test_publishing_again_changes_nothing():
    before = Event.objects.count()
    assert publish_first_versions(by=make_admin(), now=NOW) == []
    assert RubricVersion.objects.count() == 7
    assert Event.objects.filter(verb="rubric_version:published").count() == 0
    assert Event.objects.count() == before + 1  # the admin's account


@pytest.mark.django_db(transaction=True)
def test_an_emptied_database_gets_the_version_with_its_first_project():
    RubricVersion.objects.filter(state="draft").delete()
    project = open_project(slug="mafia", name="Mafia", by=make_admin(), now=NOW)
    assert Iteration.objects.get(project=project).rubric_version.number == "1.3"
    assert Rubric.objects.count() == 2


def test_a_project_has_its_unsorted_iteration_under_the_newest_version():
    project = open_project(slug="mafia", name="Mafia", by=make_admin(), now=NOW)
    iteration = Iteration.objects.get(project=project)
    assert iteration.is_unsorted
    assert (iteration.number, iteration.evaluator_count, iteration.reveal) == (0, 1, "blind_first")
    assert iteration.rubric_version == RubricVersion.objects.newest(DISCUSSION)


def test_whoever_may_not_open_projects_leaves_nothing_behind():
    with pytest.raises(NotAllowed):
        open_project(slug="mafia", name="Mafia", by=make_person(), now=NOW)
    assert not Project.objects.filter(slug="mafia").exists()
    assert not Iteration.objects.exists()
