"""A lead's program that decides on what evaluators differ about."""

import pytest

from discussions.models import Adjudication
from tests.factories.adjudication import TIE, make_differing
from tests.factories.people import make_lead
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db


def test_a_tie_is_read_without_names_and_decided_once():
    game = make_differing(slug="here")
    lead = make_lead(project=game.project)
    program, path = program_of(lead), f"projects/here/games/{game.number}/disagreements/"
    answer = program.get(path)
    names = game.evaluations.values_list("evaluator__name", flat=True)
    assert not [name for name in names if name in answer.content.decode()]
    tie = next(row for row in answer.json()["items"] if (row["kind"], row["subject"]) == TIE)
    assert (tie["is_tie"], tie["decided"]) == (True, None)
    given = {"kind": TIE[0], "subject": TIE[1], "reason": "It answers", "sides_sha256": tie["sides_sha256"]}
    assert program.post(path, {**given, "side": "Z"}).json()["field"] == "choice"
    stale = program.post(path, {**given, "side": "A", "sides_sha256": "0" * 64})
    assert (stale.status_code, Adjudication.objects.count()) == (409, 0)
    done = program.post(path, {**given, "side": "A"}).json()["items"]
    decided = next(row for row in done if (row["kind"], row["subject"]) == TIE)
    assert (decided["is_tie"], decided["decided"]) == (False, tie["sides"][0]["value"])
