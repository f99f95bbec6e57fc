"""The page that moves an iteration to a newer rubric version."""

import re

import pytest
from django.urls import reverse

from tests.discussions.planning.test_actions import make_rated, publish
from tests.factories.iterations import fresh, get_lead
from tests.factories.preview import thresholds
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


def test_a_lead_sees_what_would_change_and_moves_the_iteration(client):
    iteration = make_rated(1)
    client.force_login(get_lead(iteration.stage))
    address = reverse("change_version", args=[iteration.project.slug, iteration.number])
    assert "no newer published version" in client.get(address).content.decode()
    version = publish(thresholds(strategic_depth=99))
    said = client.get(address).content.decode()
    assert f"What would change under {version}" in said
    shown = re.search(r'name="shown" value="([0-9a-f]{64})"', said)[1]
    given = {"to": str(version.pk), "shown": shown}
    assert client.post(address, given).status_code == 422
    stale = client.post(address, given | {"shown": "0" * 64, "reason": "Newer"})
    assert (stale.status_code, "Nothing was moved" in stale.content.decode()) == (409, True)
    moved = client.post(address, given | {"reason": "Newer"})
    page = reverse("iteration", args=[iteration.project.slug, iteration.number])
    assert (moved.status_code, moved["Location"]) == (303, page)
    assert fresh(iteration).rubric_version == version
    assert address in client.get(page).content.decode()
    assert client.get(address.replace(f"/{iteration.number}/", "/0/")).status_code == 404


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
