"""What webhooks are told besides: imports, ties, changes that can be decided, gates, sets; and scores, to who asks."""

import json
from ipaddress import ip_network

import pytest

from discussions.iterations.actions import StagePlan, open_next_stage
from discussions.models import Transcript
from rubric.comparisons.actions import close_set
from tests.factories.adjudication import list_evaluations, make_shared_game, submit_as
from tests.factories.comparisons import make_set
from tests.factories.iterations import figures, make_baseline, make_change, make_stage, withdraw
from tests.factories.jobs import run_waiting_jobs
from tests.factories.outbox import make_webhook
from tests.factories.people import NOW, make_admin, make_lead, moment
from tests.factories.rating import make_rating_project, submitted
from tests.factories.verdicts import record
from tests.services.chat_server import sends, talking
from workspace.core.refusals import Unacceptable
from workspace.models import Delivery
from workspace.outbox.actions.send import enqueue_due, send_test
from workspace.outbox.core import SCORED

pytestmark = pytest.mark.django_db
MEASURED = {"coherence", "strategic_depth", "anti_repetition"}


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def told(*events: str) -> list[tuple[str, dict, str]]:
    """Event, numbers and address of the messages of these events in order."""
    rows = [json.loads(row.body) for row in Delivery.objects.filter(event__in=events).order_by("pk")]
    return [(row["type"], row["data"], row["address"].partition("/api/v1/projects/")[2]) for row in rows]


def test_a_file_that_was_read_and_evaluators_who_differ():
    project = make_rating_project(slug="ours", evaluator_count=2)
    make_webhook(project=project)
    game = make_shared_game(k=2, project=project)
    key = Transcript.objects.get(games=game).pk
    imported = ("import.finished", {"import": key}, f"ours/imports/{key}/")
    assert imported in told("import.finished")
    assert len(told("import.finished")) == Transcript.objects.count()
    first, second = list_evaluations(game)
    submit_as(first, values={("coherence", "4"): "no"})
    assert told("game.tied") == []
    submit_as(second, values={("coherence", "4"): "yes"})
    address = f"ours/games/{game.number}/disagreements/"
    assert told("game.tied") == [("game.tied", {"game": game.number}, address)]


def test_a_change_can_be_decided_and_a_gate_was_opened():
    stage = make_stage()
    make_webhook(project=stage.project)
    make_baseline(stage=stage, games=[figures()] * 3)
    change = make_change(stage=stage, games=[figures(), figures(), figures(), None])
    slug = stage.project.slug
    assert told("iteration.ready") == []
    unrated = change.games.exclude(pk__in=change.games.filter(verdicts__isnull=False)).get()
    withdraw(game=unrated)
    ready = ("iteration.ready", {"iteration": change.number}, f"{slug}/iterations/{change.number}/decision/")
    assert told("iteration.ready") == [ready]
    open_next_stage(stage=stage, plan=StagePlan("Stage 2"), by=make_admin(), reason="On.", now=moment(90))
    assert told("gate.opened") == [("gate.opened", {"stage": 1}, f"{slug}/stages/1/gate/")]


def test_a_set_was_closed():
    lead = make_lead(project=make_rating_project(slug="ours"))
    made = make_set(by=lead)
    make_webhook(project=made.project)
    close_set(comparison_set=made, by=lead, now=NOW)
    assert told("set.closed") == [
        ("set.closed", {"set": made.number}, f"{made.project.slug}/comparison-sets/{made.number}/results/")
    ]


def test_scores_are_in_messages_to_who_asked_for_them_alone():
    project = make_rating_project()
    plain, scored = (
        make_webhook(
            project=project, has_scores=wants, events=["game.measured", "verdict.recorded", "game.tied"]
        )
        for wants in (False, True)
    )
    verdict = record(submitted(project=project).game)
    rows = [json.loads(row.body) for row in Delivery.objects.filter(webhook=scored.webhook).order_by("pk")]
    measured, recorded = [{score["name"]: score for score in row["scores"]} for row in rows]
    assert measured.keys() >= MEASURED and "verdict" not in measured
    assert len(recorded) == 8 and recorded["verdict"]["value"] == float(verdict.passes)
    assert recorded["verdict"]["label"] == ("pass" if verdict.passes else "fail")
    others = Delivery.objects.filter(webhook=plain.webhook)
    assert others.count() == 2 and not [row for row in others if "scores" in row.body]


def test_scores_go_to_the_collector_that_the_installation_allows_with_its_headers(settings):
    settings.WEBHOOK_HTTP, settings.WEBHOOK_NETWORKS = True, [ip_network("127.0.0.1/32")]
    settings.OTLP_HEADERS = {"Authorization": "Basic abc"}
    project = make_rating_project(slug="ours")
    with talking(sends(b"{}")) as server:
        settings.OTLP_LOGS_URL = f"{server.url}/logs"
        with pytest.raises(Unacceptable, match="takes scores alone"):
            make_webhook(project=project, url=settings.OTLP_LOGS_URL)
        made = make_webhook(project=project, url=settings.OTLP_LOGS_URL, events=SCORED)
        other = make_webhook(project=project, url=f"{server.url}/hook", events=SCORED)
        verdict = record(submitted(project=project).game)
        send_test(webhook=made.webhook, by=make_lead(project=project), now=NOW)
        enqueue_due(by=make_admin(), now=moment(90))
        run_waiting_jobs(now=moment(90))
    heard = [one for one in server.heard if one.path == "/v1/logs"]
    assert {one.headers["authorization"] for one in heard} == {"Basic abc"}
    bodies = [one.body["resourceLogs"][0]["scopeLogs"][0]["logRecords"] for one in heard]
    assert sorted(map(len, bodies))[0::2] == [0, 8]
    (events,) = (body for body in bodies if len(body) == 8)
    values = {part["key"]: part["value"] for part in events[-1]["attributes"]}
    assert events[-1]["eventName"] == "gen_ai.evaluation.result"
    assert values["gen_ai.evaluation.score.value"] == {"doubleValue": float(verdict.passes)}
    assert values["gen_ai.conversation.id"] == {"stringValue": verdict.game.source_id}
    assert values["evalsite.game"] == {"intValue": str(verdict.game.number)}
    assert Delivery.objects.exclude(state="delivered").count() == 0
    hooks = [one for one in server.heard if one.path == "/v1/hook"]
    assert len(hooks) == Delivery.objects.filter(webhook=other.webhook).count() == 2
    assert not [one for one in hooks if "authorization" in one.headers or "scores" in one.body]
