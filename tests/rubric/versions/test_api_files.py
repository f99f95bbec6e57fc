"""A rubric as a file, for programs: read, compared, drafted, replaced and published by the API."""

import json

import pytest

from rubric.models import RubricVersion
from rubric.versions.queries import write_file
from tests.factories.people import make_admin, make_lead, make_project
from tests.factories.tokens import program_of
from tests.factories.versions import first, with_weights

pytestmark = pytest.mark.django_db
DRAFTS = "rubrics/response/?note=From+Git"


def make_file(*weights: float, **changes: object) -> bytes:
    """A file of the newest response rubric with other weights."""
    data = json.loads(write_file(with_weights(first().to_record(), *weights)))
    return json.dumps(data | changes).encode()


@pytest.mark.parametrize("key", ["discussion", "response"])
def test_a_file_that_was_read_makes_a_draft_with_the_same_file(key):
    program = program_of(make_admin())
    out = program.get(f"rubrics/{key}/{first(key).number}/file/").content
    made = program.post(f"rubrics/{key}/?note=Again", out.replace(b'"version": "1.', b'"version": "7.'))
    assert (made.status_code, made.json()["state"]) == (201, "draft")
    again = program.get(f"rubrics/{key}/{made.json()['number']}/file/").content
    assert again == out.replace(b'"version": "1.', b'"version": "7.') != out


def test_criteria_of_git_are_drafted_replaced_compared_and_published():
    program = program_of(make_admin())
    made = program.post(DRAFTS, make_file(0.4, 0.2, 0.2, 0.2)).json()
    assert made["number"] == "1.3"
    given = make_file(0.1, 0.2, 0.2, 0.5, version="1.3")
    assert program.post(f"{DRAFTS}&basis_sha256={'0' * 64}", given).json()["code"] == "draft_changed"
    draft = program.post(f"{DRAFTS}&basis_sha256={made['sha256']}", given).json()
    assert (draft["number"], draft["sha256"] == made["sha256"]) == ("1.3", False)
    found = program.get("rubrics/response/1.3/differences/", before="1.2").json()["items"]
    assert {"part": "Accuracy", "what": "Weight", "before": "35 %", "after": "10 %"} in [
        {**row, **{side: row[side].replace("\u00a0", " ") for side in ("before", "after")}} for row in found
    ]
    late = program.post("rubrics/response/1.3/publish/", {"reason": "Agreed", "basis_sha256": made["sha256"]})
    assert (late.status_code, late.json()["code"]) == (409, "draft_changed")
    done = program.post(
        "rubrics/response/1.3/publish/", {"reason": "Agreed", "basis_sha256": draft["sha256"]}
    )
    assert (done.status_code, done.json()["state"]) == (200, "published")
    assert RubricVersion.objects.newest("response").reason == "Agreed"
    assert program.post(f"{DRAFTS}&basis_sha256={draft['sha256']}", given).status_code == 409


def test_a_file_starts_a_response_rubric_of_its_own():
    program = program_of(make_admin())
    given = make_file(0.4, 0.2, 0.2, 0.2, name="Coding")
    assert program.post("rubrics/coding/", given).status_code == 404
    made = program.post("rubrics/?key=coding&note=For+code", given)
    assert (made.status_code, made.json()["rubric"], made.json()["state"]) == (201, "coding", "draft")
    again = program.post("rubrics/?key=coding&note=For+code", given)
    assert (again.status_code, again.json()["code"]) == (409, "key_taken")


def test_every_fault_is_a_sentence_with_its_place_and_nothing_is_stored():
    program = program_of(make_admin())
    data = json.loads(make_file(0.9, 0.25, 0.2, 0.2))
    data["criteria"][0]["scale"] = {"lowest": 5, "highest": 1}
    refused = program.post(DRAFTS, json.dumps(data).encode())
    faults = refused.json()["more"]["faults"]
    assert (refused.status_code, len(faults)) == (422, 2)
    assert {fault["pointer"] for fault in faults} == {"/criteria", "/criteria/0/scale"}
    assert all(fault["message"].endswith(".") for fault in faults)
    data = json.loads(make_file(0.35, 0.25, 0.2, 0.2))
    data["criteria"][1]["question"] = " "
    assert "/criteria/1/question" in program.post(DRAFTS, json.dumps(data).encode()).json()["detail"]
    assert RubricVersion.objects.filter(state="draft").count() == 0


def test_only_admins_with_the_scope_change_rubrics_and_evaluators_see_no_file():
    lead = program_of(make_lead(project=make_project()))
    assert lead.post(DRAFTS, make_file(0.4, 0.2, 0.2, 0.2)).status_code == 403
    assert lead.get("rubrics/response/1.2/file/").status_code == 200
    assert program_of(make_admin(), "read").post(DRAFTS, b"{}").json()["code"] == "scope_missing"
