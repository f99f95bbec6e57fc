"""A program that signs the statement of a stage."""

import pytest

from tests.factories.iterations import make_stage
from tests.factories.people import make_lead
from tests.factories.tokens import program_of
from tests.factories.transcripts import make_games_project

pytestmark = pytest.mark.django_db


def test_a_statement_is_signed_once_and_shown_with_its_gate():
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    program, path = program_of(lead), f"projects/ours/stages/{make_stage(project=project, by=lead).number}/"
    before = program.get(f"{path}gate/").json()
    assert (before["statement"], before["signed_by"], before["sign_refusal"]) == ("", "", "")
    assert not [sentence for sentence in before["missing"] if "below" in sentence]
    assert program.post(f"{path}sign/", {"statement": " "}).json()["field"] == "statement"
    signed = program.post(f"{path}sign/", {"statement": "Nobody left before the end."}).json()
    assert (signed["statement"], signed["signed_by"]) == ("Nobody left before the end.", lead.name)
    assert len(signed["missing"]) == len(before["missing"]) - 1
    again = program.post(f"{path}sign/", {"statement": "Another"})
    assert (again.status_code, again.json()["code"]) == (403, "stated")
