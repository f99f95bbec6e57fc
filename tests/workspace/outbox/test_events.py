"""Acts that webhooks are told of, reached as people and workers reach them; decisions are in their own package."""

import json

import pytest

from discussions.metrics.actions import measure_at_once
from discussions.models import Iteration, Measured
from tests.factories.outbox import make_webhook
from tests.factories.people import NOW, make_lead
from tests.factories.queue import finish, make_repeat
from tests.factories.rating import make_rating_project, submitted
from tests.factories.verdicts import record
from workspace.models import Delivery

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def told():
    """Event, numbers and address of all messages in order."""
    rows = [json.loads(row.body) for row in Delivery.objects.order_by("pk")]
    return [(row["type"], row["data"], row["address"]) for row in rows]


def test_a_game_from_its_measurement_to_its_verdict():
    project = make_rating_project(slug="ours")
    make_webhook(project=project)
    evaluation = submitted(project=project)
    game = "/api/v1/projects/ours/games/1/"
    measured = ("game.measured", {"game": 1}, game)
    expected = ("evaluation.submitted", {"game": 1, "evaluation": evaluation.pk}, game)
    read = ("import.finished", {"import": evaluation.game.transcript_id}, "/api/v1/projects/ours/imports/1/")
    assert told() == [measured, read, expected]
    record(evaluation.game)
    assert told()[3:] == [("verdict.recorded", {"game": 1, "verdict": 1}, f"{game}verdict/")]
    record(evaluation.game, by=make_lead(project=project), reason="Looked again.")
    assert told()[4:] == [("verdict.recorded", {"game": 1, "verdict": 2}, f"{game}verdict/")]


def test_a_hidden_repeat_is_not_told_of():
    evaluation = submitted()
    repeat = make_repeat(evaluation)
    make_webhook(project=evaluation.game.project)
    finish(repeat)
    assert told() == []


def test_a_game_that_is_measured_already_is_not_told_of_again():
    evaluation = submitted()
    iteration = Iteration.objects.select_related("project", "rubric_version").get(games=evaluation.game)
    webhook = make_webhook(project=iteration.project).webhook
    before = Measured.objects.count()
    measure_at_once(iteration=iteration, by=webhook.created_by, now=NOW)
    assert (Measured.objects.count(), told()) == (before, [])
