"""kill -9 right before and right after a COMMIT: of a save, of an upload (before the message for its job), of a worker.

A sign-in that ends while somebody types.
"""

import json
import time

import pytest

from tests.factories.transcripts import as_bytes, native_game
from tests.faults.test_worker_and_redis_killed import (
    GAMES,
    LET_LEASES_END,
    check_whole,
    number,
    sweep_until_done,
    upload,
)
from tests.faults.visitors import make_team
from tools.processes import wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

MOMENTS = ("before COMMIT", "after COMMIT")


@pytest.fixture
def order(live_stack, monkeypatch, tmp_path):
    """`order(child, moment)`: restarts it with settings by which one of its processes dies at that moment, once."""
    path = tmp_path / "moment"

    def give(child, moment):
        if "FAULT_MOMENT" not in child.env:
            child.kill()
            monkeypatch.setitem(child.env, "FAULT_MOMENT", str(path))
            monkeypatch.setitem(child.env, "DJANGO_SETTINGS_MODULE", "tests.faults.dying_settings")
            if child is live_stack.web:
                live_stack.start_web()
            else:
                child.start()
        path.write_text(moment)
        return path

    yield give
    path.unlink(missing_ok=True)
    live_stack.web.kill()
    live_stack.worker.kill()


def again(stack, ask):
    """Ask until somebody answers; the answer and the seconds that it took. A web server that ended starts again.

    It ends when the same of its processes dies twice within seconds; what watches it starts it.
    """
    began, answers = time.monotonic(), []

    def is_answered():
        if not stack.web.is_running():
            stack.start_web()
        try:
            answers.append(ask())
        except OSError:
            return False
        return True

    assert wait_until(is_answered)
    return answers[0], time.monotonic() - began


def test_a_save_is_stored_once_wherever_its_server_died(live_stack, order, fault_table):
    team = make_team(live_stack, 1)
    (evaluator,), (evaluation,) = team.evaluators, team.evaluations
    evaluator.get(f"/rate/{evaluation}/")

    def save(question):
        body = {"kind": "question", "subject": question, "version": 0, "value": "yes"}
        return evaluator.post(f"/rate/{evaluation}/judge/", key=f"q{question}", **body)

    order(live_stack.web, "")
    for question, moment in enumerate(MOMENTS, start=1):
        path = order(live_stack.web, moment)
        with pytest.raises(ConnectionError):
            save(question)
        assert not path.exists()
        stored = number(live_stack, "SELECT COUNT(*) FROM discussions_revision")
        assert stored == (0 if moment == MOMENTS[0] else 2)
        answer, back = again(live_stack, lambda question=question: save(question))
        assert (answer.status, bool(answer.headers["X-Saved"])) == (200, True)
        assert number(live_stack, "SELECT COUNT(*) FROM discussions_revision") == question
        fault_table(
            f"save, {moment}", "web process killed", "stored once, by its key", acknowledged=1, back=back
        )


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_upload_is_whole_or_not_there_and_its_job_is_done(live_stack, order, fault_table, moment):
    team = make_team(live_stack)
    team.lead.get("/projects/ours/imports/")
    order(live_stack.web, moment)
    with pytest.raises(ConnectionError):
        upload(team, "one.json", as_bytes(native_game(gameId="one")))
    there = number(live_stack, "SELECT COUNT(*) FROM discussions_transcript")
    assert there == MOMENTS.index(moment)
    began = time.monotonic()
    if there:
        sweep_until_done(live_stack)
    else:
        again(live_stack, lambda: upload(team, "one.json", as_bytes(native_game(gameId="one"))))
        sweep_until_done(live_stack)
    check_whole(live_stack, 1)
    held = "the sweep sent the message for its job" if there else "not there; sent again it is one import"
    fault_table(f"upload, {moment}", "web process killed", held, back=time.monotonic() - began)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_batch_of_an_import_is_stored_once(live_stack, order, fault_table, moment):
    team = make_team(live_stack)
    live_stack.worker.kill()
    upload(team)
    path = order(live_stack.worker, "")
    assert wait_until(lambda: number(live_stack, "SELECT COUNT(*) FROM discussions_game") > 0, every=0.02)
    path.write_text(moment)
    assert wait_until(lambda: not path.exists(), every=0.02)
    began = time.monotonic()
    live_stack.script(LET_LEASES_END)
    sweep_until_done(live_stack)
    check_whole(live_stack, GAMES)
    fault_table(
        f"batch of an import, {moment}",
        "process of a worker killed",
        f"{GAMES} games, each once",
        back=time.monotonic() - began,
    )


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_preview_is_stored_once_wherever_its_worker_died(live_stack, order, fault_table, moment):
    live_stack.worker.kill()
    live_stack.script(MAKE_A_DRAFT)
    path = order(live_stack.worker, moment)
    live_stack.script(ASK_FOR_A_PREVIEW)
    began = time.monotonic()
    assert wait_until(lambda: not path.exists(), every=0.02)
    assert number(live_stack, PREVIEWS) <= MOMENTS.index(moment)
    live_stack.script(LET_LEASES_END)
    sweep_until_done(live_stack)
    assert number(live_stack, PREVIEWS) == 1
    assert live_stack.rows("SELECT DISTINCT state FROM workspace_job") == [("done",)]
    fault_table(
        f"preview of a draft, {moment}",
        "process of a worker killed",
        "one preview",
        back=time.monotonic() - began,
    )


PREVIEWS = "SELECT COUNT(*) FROM rubric_impactpreview"
MAKE_A_DRAFT = """
from tests.factories.preview import draft_with, thresholds
from tests.factories.verdicts import recorded_verdict
recorded_verdict()
draft_with(thresholds(engagement=4))
"""
ASK_FOR_A_PREVIEW = """
from rubric.models import RubricVersion
from tests.factories.preview import asked
asked(RubricVersion.objects.latest("pk"))
"""


def test_a_sign_in_that_ended_keeps_what_was_typed(live_stack, fault_table):
    team = make_team(live_stack, 1)
    (evaluator,), (evaluation,) = team.evaluators, team.evaluations
    typed = {"kind": "comment", "subject": "game", "text": "half a thought", "version": 0, "key": "typed"}
    before = evaluator.get(f"/rate/{evaluation}/")
    live_stack.script("from workspace.models import SignIn; SignIn.objects.all().delete()")
    refused = evaluator.post(f"/rate/{evaluation}/judge/", **typed)
    assert (before.status, refused.status, "signin" in refused.text) == (200, 401, True)
    said = live_stack.script(SIGN_IN.format(evaluation=evaluation))
    evaluator.headers["Cookie"] = f"sessionid={json.loads(said)}; csrftoken={'c' * 32}"
    answer = evaluator.post(f"/rate/{evaluation}/judge/", **typed)
    assert answer.status == 200, answer.text[:300]
    assert live_stack.rows("SELECT text FROM discussions_remark") == [("half a thought",)]
    fault_table("comment being typed", "the sign-in ended", "401 with the dialog; then saved", acknowledged=1)


SIGN_IN = """
import json
from django.test import Client
from discussions.models import Evaluation
client = Client()
client.force_login(Evaluation.objects.get(pk={evaluation}).evaluator)
print(json.dumps(client.cookies["sessionid"].value))
"""
