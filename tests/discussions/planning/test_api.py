"""Iterations for programs: what they hold, opening one for rating, deciding on a change."""

import pytest

from discussions.models import Decision
from tests.factories.iterations import figures, get_lead, make_baseline, make_change, make_stage
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage():
    return make_stage()


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
