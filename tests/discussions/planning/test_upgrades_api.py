"""A program that moves an iteration to a newer rubric version."""

import pytest

from tests.discussions.planning.test_upgrades_actions import make_rated, publish
from tests.factories.iterations import fresh, get_lead
from tests.factories.preview import thresholds
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


def test_a_program_reads_what_would_change_and_moves_the_iteration():
    iteration = make_rated(1)
    program = program_of(get_lead(iteration.stage))
    path = f"projects/{iteration.project.slug}/iterations/{iteration.number}/version/"
    nothing = program.get(path).json()
    assert (nothing["versions"], nothing["preview_sha256"], nothing["games"]) == ([], "", [])
    version = publish(thresholds(strategic_depth=99))
    found = program.get(path).json()
    assert (found["versions"], found["version"], found["refusal"]) == ([version.number], version.number, "")
    assert (found["present"], len(found["games"]), found["games"][0]["is_recorded"]) == (
        iteration.rubric_version.number,
        1,
        True,
    )
    assert program.get(path, version="77.7").json()["field"] == "version"
    given = {"version": version.number, "preview_sha256": found["preview_sha256"], "reason": "Newer"}
    assert program.post(path, given | {"preview_sha256": "0" * 64}).json()["code"] == "preview_changed"
    assert program.post(path, given | {"reason": " "}).json()["field"] == "reason"
    moved = program.post(path, given).json()
    assert (moved["recorded"], moved["waiting"]) == ([found["games"][0]["number"]], [])
    assert fresh(iteration).rubric_version == version
    assert program.get(path.replace(f"/{iteration.number}/", "/0/")).status_code == 404
