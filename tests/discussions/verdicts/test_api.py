"""Verdicts for programs: read with their basis, recorded on it, corrected with a reason."""

import pytest

from discussions.models import Verdict
from tests.factories.tokens import program_of
from tests.factories.verdicts import game_to_record, get_lead

pytestmark = pytest.mark.django_db


def test_a_verdict_is_recorded_on_the_basis_that_was_read_and_corrected_with_a_reason():
    game = game_to_record()
    program = program_of(get_lead(game))
    path = f"projects/{game.project.slug}/games/{game.number}/verdict/"
    found = program.get(path).json()
    assert (found["refusal"], found["recorded"]) == ("", [])
    lines = {line["key"]: line for line in found["outcome"]["lines"]}
    low, high = lines["coherence"]["interval"]
    assert low <= lines["coherence"]["score"] <= high
    assert (lines["engagement"]["interval"], lines["engagement"]["is_mandatory"]) == (None, True)
    stale = program.post(path, {"basis_sha256": "0" * 64})
    assert (stale.status_code, stale.json()["code"]) == (409, "basis_changed")
    made = program.post(path, {"basis_sha256": found["basis_sha256"]})
    assert (made.status_code, made.json()["number"]) == (201, 1)
    assert made.json()["passes"] is found["outcome"]["passes"]
    basis = program.get(path).json()["basis_sha256"]
    assert program.post(path, {"basis_sha256": basis}).json()["field"] == "reason"
    assert program.post(path, {"basis_sha256": basis, "reason": "Recounted"}).status_code == 201
    assert [row["reason"] for row in program.get(path).json()["recorded"]] == ["Recounted", ""]
    assert Verdict.objects.count() == 2
