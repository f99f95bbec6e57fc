"""A lead's program that opens a calibration round, reads how people do, lets one rate, and closes it."""

import pytest

from discussions.models import CalibrationWaiver
from tests.factories.calibration import take
from tests.factories.people import make_lead, make_member
from tests.factories.queue import finish
from tests.factories.rating import say
from tests.factories.tokens import program_of
from tests.factories.verdicts import recorded_verdict

pytestmark = pytest.mark.django_db


def test_a_round_from_its_opening_to_its_end():
    verdict = recorded_verdict()
    project, number = verdict.project, verdict.game.number
    program, path = program_of(make_lead(project=project)), f"projects/{project.slug}/calibrations/"
    given = {"name": "First", "games": [number], "pass_percent": 100, "rating_within": 0.5}
    wrong = program.post(path, given | {"games": [99]})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "games")
    note = {"game": number, "note": "Vague counts as vague."}
    for notes in ([note, note], [{"game": 99, "note": "Not of this round"}]):
        assert program.post(path, given | {"notes": notes}).json()["field"] == "notes"
    made = program.post(path, given | {"notes": [note]})
    assert (made.status_code, made.json()["number"], made.json()["games"]) == (201, 1, [note])
    assert (made.json()["rating_within"], made.json()["is_required"]) == (0.5, True)
    assert program.post(path, given).json()["code"] == "round_open"
    trainee = make_member(project=project)
    evaluation = take(verdict.project.calibration_rounds.get(), trainee)
    say(evaluation, "question", "1", "no")
    finish(evaluation)
    row = next(row for row in program.get(f"{path}1/").json()["people"] if row["id"] == trainee.pk)
    assert (row["done"], row["asked"], row["passes"], row["count"] - row["alike"]) == (1, 1, False, 1)
    let = program.post(f"{path}1/people/{trainee.pk}/let-rate/", {"reason": "We talked"}).json()
    assert [one["waiver"] for one in let["people"] if one["id"] == trainee.pk] == ["We talked"]
    assert CalibrationWaiver.objects.get().person == trainee
    assert program.post(f"{path}1/close/").json()["closed_at"]
    (listed,) = program.get(path).json()["items"]
    assert (listed["game_count"], bool(listed["closed_at"])) == (1, True)
