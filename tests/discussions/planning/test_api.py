"""Iterations for programs: what they hold, opening one for rating, deciding on a change."""

import pytest

from discussions.models import Decision, Game, Iteration
from tests.factories.iterations import figures, get_lead, make_baseline, make_change
from tests.factories.people import make_lead
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project
from workspace.models import Event

pytestmark = pytest.mark.django_db


def test_iterations_are_read_with_their_averages_and_opened_once(stage):
    three = [figures(), figures(coherence=40), figures(cost=None)]
    baseline = make_baseline(stage=stage, games=three)
    change = make_change(stage=stage)
    program = program_of(get_lead(stage))
    path = f"projects/{stage.project.slug}/"
    assert [row["name"] for row in program.get(f"{path}stages/").json()["items"]] == [stage.name]
    rows = program.get(f"{path}iterations/").json()["items"]
    assert [row["number"] for row in rows] == [0, baseline.number, change.number]
    single = program.get(f"{path}iterations/{change.number}/").json()
    assert (single["compared_with"], single["state"]) == (baseline.number, "importing")
    first = program.get(f"{path}stages/{stage.number}/summary/").json()["items"][0]
    assert first["game_count"] == 3
    coherence = next(line for line in first["averages"] if line["key"] == "coherence")
    assert coherence["of_count"] == 3
    refused = program.post(f"{path}iterations/{change.number}/open/")
    assert refused.status_code == 403
    assert "games" in refused.json()["detail"]


def test_a_stage_is_opened_and_its_iterations_are_planned():
    project = make_games_project(slug="fresh")
    program, path = program_of(make_lead(project=project)), "projects/fresh/"
    stage = program.post(f"{path}stages/", {"name": "Lively", "streak_unit": "game"})
    assert (stage.status_code, stage.json()["number"]) == (201, 1)
    assert program.post(f"{path}stages/", {"name": "Again"}).status_code == 409
    gate = program.get(f"{path}stages/1/gate/").json()
    assert (gate["is_open"], gate["streak"], bool(gate["missing"])) == (False, 0, True)
    plans = f"{path}stages/1/iterations/"
    early = program.post(plans, {"kind": "change", "name": "Early", "prompt": "x"})
    assert (early.status_code, early.json()["code"]) == (403, "no_baseline")
    first = program.post(
        plans, {"kind": "baseline", "prompt": "Play.", "evaluator_count": 2, "reveal": "never"}
    )
    assert first.status_code == 201, first.content
    number = first.json()["number"]
    assert (first.json()["evaluator_count"], first.json()["reveal"]) == (2, "never")
    edited = program.post(f"{path}iterations/{number}/plan/", {"name": "Control", "least_games": 4}).json()
    assert (edited["name"], edited["prompt"], edited["least_games"]) == ("Control", "Play.", 4)
    judged = program.post(f"{path}iterations/{number}/plan/", {"evaluator_count": 3}).json()
    assert (judged["evaluator_count"], judged["reveal"], judged["name"]) == (3, "never", "Control")
    answer = program.post(f"{path}iterations/{number}/plan/", {"rubric": "discussion", "version": "77"})
    assert (answer.status_code, answer.json()["field"]) == (422, "version")


def test_a_change_is_planned_against_the_reference_and_the_reference_played_again(stage):
    three = [figures(), figures(coherence=40), figures()]
    baseline = make_baseline(stage=stage, games=three)
    program = program_of(get_lead(stage))
    path = f"projects/{stage.project.slug}/"
    plans = f"{path}stages/{stage.number}/iterations/"
    change = {"kind": "change", "name": "Votes", "prompt": "Play. Count votes.", "change_note": "Count votes"}
    stale = program.post(plans, {**change, "compared_with": 77})
    assert (stale.status_code, stale.json()["code"]) == (409, "reference_changed")
    made = program.post(plans, {**change, "target": "coherence", "compared_with": baseline.number})
    assert made.status_code == 201, made.content
    assert (made.json()["target"], made.json()["compared_with"]) == ("coherence", baseline.number)
    unknown = program.post(f"{path}iterations/{made.json()['number']}/plan/", {"target": "wit"})
    assert (unknown.status_code, unknown.json()["field"]) == (422, "target")
    program.post(f"{path}iterations/{made.json()['number']}/plan/", {"material": {"coherence": 7.5}})
    assert '"coherence":7.5' in Iteration.objects.get(name="Votes").material
    again = program.post(f"{path}iterations/{baseline.number}/replay/")
    assert (again.status_code, again.json()["prompt"]) == (201, baseline.prompt)


def test_games_move_into_an_iteration_and_back(stage):
    program = program_of(get_lead(stage))
    path = f"projects/{stage.project.slug}/"
    plan = {"kind": "baseline", "name": "Control", "prompt": "Play."}
    number = program.post(f"{path}stages/{stage.number}/iterations/", plan).json()["number"]
    game = import_game(project=stage.project, by=get_lead(stage))
    moved = program.post(f"{path}iterations/{number}/games/", {"games": [game.number]})
    assert moved.json()["games"] == [game.number]
    assert Game.objects.get(pk=game.pk).iteration.number == number
    program.post(f"{path}iterations/{number}/games/", {"games": [game.number], "to": "out"})
    assert Game.objects.get(pk=game.pk).iteration.number == 0


def test_a_change_is_decided_on_the_basis_that_was_read(stage):
    three = [figures(), figures(coherence=40), figures()]
    make_baseline(stage=stage, games=three)
    change = make_change(stage=stage, games=three)
    program = program_of(get_lead(stage))
    path = f"projects/{stage.project.slug}/iterations/{change.number}/decision/"
    found = program.get(path).json()
    assert (found["refusal"], found["decided"]) == ("", [])
    given = {"choice": "revert", "reason": "No better."}
    stale = program.post(path, {**given, "basis_sha256": "0" * 64})
    assert (stale.status_code, Decision.objects.count()) == (409, 0)
    done = program.post(path, {**given, "basis_sha256": found["basis_sha256"]})
    assert (done.status_code, done.json()["decided"][0]["choice"]) == (201, "revert")
    assert program.post(path, {**given, "choice": "maybe", "basis_sha256": ""}).status_code == 422


def test_a_decision_has_its_figures_as_fields(stage):
    make_baseline(stage=stage, games=[figures(coherence=value) for value in (40, 50, 60)])
    games = [figures(coherence=value, strategic_depth=20) for value in (90, 95, 100)]
    change = make_change(stage=stage, games=games, target="coherence")
    program = program_of(get_lead(stage))
    found = program.get(f"projects/{stage.project.slug}/iterations/{change.number}/decision/").json()
    target, rule = found["target"], found["rule"]
    assert (found["answer"], found["proposal"]) == ("improved", "keep")
    assert (found["act"], found["action"], found["reason"], found["chance"]) == (
        "keep", "Keep the change.", "", 0
    )  # fmt: skip
    assert (target["key"], target["control_mean"], target["change_mean"]) == ("coherence", 50, 95)
    assert (target["by_people"], target["verdict_means"], target["pair_count"]) == (False, [50, 95], 0)
    assert found["difference"] == target["difference"] == 45
    low, high = found["interval"]
    assert 0 < low < 45 - target["rebound"] < high
    assert rule["keeps"] is True and rule["says"].startswith("the rule says KEEP")
    others = {line["key"]: line for line in found["guardrails"]}
    assert len(found["guardrails"]) == len(others) == 6 and "coherence" not in others
    assert others["strategic_depth"]["is_harmed"] and others["strategic_depth"]["difference"] < 0
    assert not others["engagement"]["is_harmed"] and others["engagement"]["difference"] == 0
    assert len(found["checks"]) == 1 and "Strategic depth is 50 points lower" in found["checks"][0]
    assert found["gains"] == []


def test_a_decision_without_games_has_no_figures(stage):
    make_baseline(stage=stage, games=[figures()] * 3)
    change = make_change(stage=stage)
    program = program_of(get_lead(stage))
    found = program.get(f"projects/{stage.project.slug}/iterations/{change.number}/decision/").json()
    names = ("target", "difference", "interval", "rule")
    assert [found[name] for name in names] == [None] * 4
    assert (found["answer"], found["act"], found["guardrails"], found["checks"], found["gains"]) == (
        "", "", [], [], []
    )  # fmt: skip


def test_project_settings_are_read_and_changed_all_or_none():
    project = make_games_project(slug="fresh")
    program, path = program_of(make_lead(project=project)), "projects/fresh/settings/"
    before = {
        "evaluator_count": 1,
        "identification": "test",
        "flags": "hold",
        "reopen_minutes": 30,
        "shows_differences": False,
        "records_at_submit": False,
        "queue_order": "closest",
        "repeat_percent": 0,
        "stored_bytes": 0,
        "storage_limit_mb": 10240,
    }
    assert program.get(path).json() == before
    assert program.post(path, {"flags": "ignore"}).json()["flags"] == "ignore"
    assert not Event.objects.filter(verb="queue:changed").exists(), "what is left out is not written"
    changed = {
        "evaluator_count": 2,
        "flags": "warn",
        "shows_differences": True,
        "records_at_submit": True,
        "queue_order": "oldest",
    }
    assert program.post(path, changed).json() == before | changed == program.get(path).json()
    verbs = Event.objects.filter(chain__project=project).values_list("verb", flat=True)
    assert {"iteration:changed", "rating_rules:changed", "queue:changed"} <= set(verbs)
    count = len(verbs)
    assert program.post(path, changed).status_code == 200 and verbs.count() == count, "nothing new"
    for wrong in (
        {"evaluator_count": 11},
        {"flags": "maybe"},
        {"reopen_minutes": -1},
        {"repeat_percent": 51},
        {"name": "x"},
    ):
        assert program.post(path, {"identification": "test"} | wrong).status_code == 422
    assert program.get(path).json()["identification"] == "test"
