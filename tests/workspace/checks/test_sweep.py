"""The sweep does each act by itself: one that fails is logged, noted and shown, and the others are done."""

import html
import logging
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string
from prometheus_client.parser import text_string_to_metric_families

from discussions.models import Evaluation, Slot
from discussions.slots.core import LEASE
from tests.factories.exports import make_export
from tests.factories.outbox import make_webhook, measure_games
from tests.factories.people import NOW, make_admin, make_lead, make_project, moment
from tests.factories.rating import start
from workspace.blob_store import drop_parts
from workspace.checks import readiness
from workspace.checks.actions import name_heads, run_daily_maintenance, sweep
from workspace.checks.metrics import write_metrics
from workspace.checks.queries import SUCCEEDS_WITHIN, load_acts
from workspace.exports.actions import remove_expired_files
from workspace.models import Export, Heartbeat, Job, SignIn
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.django_db, pytest.mark.services]

DENIED = PermissionError(13, "Permission denied")
BUILT_IN = (
    "workspace.jobs.actions.sweep_jobs",
    "workspace.checks.actions.run_daily_maintenance",
    "workspace.blob_store.drop_parts",
)


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR_DIR = settings.MEDIA_ROOT = tmp_path


def swept(now=NOW):
    sweep(by=system_person(now=now), now=now)


def names(settings):
    return [BUILT_IN[0], *settings.SWEEP_ACTIONS, *BUILT_IN[1:]]


def patch(monkeypatch, name, act):
    """Put the act in the place where the sweep finds it."""
    module = "workspace.checks.actions" if name in BUILT_IN else name.rpartition(".")[0]
    monkeypatch.setattr(f"{module}.{name.rpartition('.')[2]}", act)


def fail(*_args, **_given):
    raise DENIED


def test_every_act_is_named_after_where_it_is(settings):
    assert len(names(settings)) == len(set(names(settings))) > len(BUILT_IN)
    assert all(callable(import_string(name)) for name in names(settings))


def sweep_with(monkeypatch, settings, broken):
    """Sweep while that act fails; the acts that were done."""
    done = []
    with monkeypatch.context() as patched:
        for name in names(settings):
            patch(patched, name, lambda name=name, **_given: done.append(name) or 0)
        patch(patched, broken, fail)
        swept()
    return done


def test_whichever_act_fails_all_others_are_done(monkeypatch, settings, caplog):
    everything = names(settings)
    assert len(everything) == len(settings.SWEEP_ACTIONS) + 3
    for broken in everything:
        caplog.clear()
        assert sweep_with(monkeypatch, settings, broken) == [name for name in everything if name != broken]
        (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert broken in record.getMessage()
        assert record.exc_info[1] is DENIED


def test_an_act_that_cannot_be_loaded_does_not_stop_the_others(settings):
    settings.SWEEP_ACTIONS = ["workspace.nowhere.act", "workspace.outbox.actions.send.enqueue_due"]
    swept()
    failing, done = load_acts()[1:3]
    assert (failing.succeeded_at, failing.failing_since) == (None, NOW)
    assert failing.error.startswith("ModuleNotFoundError: ")
    assert done.succeeded_at == NOW


def test_the_last_success_stays_while_an_act_fails_and_its_reason_goes_when_it_succeeds(
    monkeypatch, settings
):
    name = settings.SWEEP_ACTIONS[0]
    swept()
    with monkeypatch.context() as patched:
        patch(patched, name, fail)
        swept(moment(1))
        swept(moment(2))
    (act,) = [act for act in load_acts() if act.name == name]
    assert (act.succeeded_at, act.failing_since) == (NOW, moment(1))
    assert act.error.startswith("PermissionError: [Errno 13] Permission denied (workspace/checks/actions.py:")
    swept(moment(3))
    (act,) = [act for act in load_acts() if act.name == name]
    assert (act.succeeded_at, act.failing_since, act.error) == (moment(3), None, "")


def ask_ready(client, monkeypatch, settings):
    monkeypatch.setitem(readiness.QUESTIONS, "broker", lambda now: "")
    settings.DISK_FREE_MB = 1
    readiness.forget_needs()
    Heartbeat.objects.update_or_create(worker="one", defaults={"beat_at": timezone.now()})
    answer = client.get("/readyz")
    readiness.forget_needs()
    return answer.status_code, answer.json()["checks"]["sweep"]


@pytest.mark.parametrize("succeeded_before", [True, False])
def test_an_act_that_has_not_succeeded_for_long_is_an_alarm_with_its_name(
    client, monkeypatch, settings, succeeded_before
):
    now, name = timezone.now(), "workspace.exports.actions.remove_expired_files"
    if succeeded_before:
        swept(now - SUCCEEDS_WITHIN - timedelta(seconds=60))
    patch(monkeypatch, name, fail)
    swept(now - SUCCEEDS_WITHIN - timedelta(seconds=30))
    swept(now)
    status, said = ask_ready(client, monkeypatch, settings)
    assert (status, said["ok"]) == (503, False)
    assert said["says"].endswith(f"ten minutes: {name}.")
    late = [value for key, value in read_ages(now).items() if key == name]
    assert late == [SUCCEEDS_WITHIN.total_seconds() + (60 if succeeded_before else 30)]
    client.force_login(make_admin())
    page = " ".join(html.unescape(client.get(reverse("overview")).content.decode()).split())
    row = page.partition(f">{name}</th>")[2].partition("</tr>")[0]
    assert ">late</span>" in row
    assert "PermissionError: [Errno 13] Permission denied" in row
    assert ("never" in row) != succeeded_before


def read_ages(now):
    families = text_string_to_metric_families(write_metrics(now=now).decode())
    return {
        sample.labels["act"]: sample.value
        for family in families
        for sample in family.samples
        if sample.name == "evalsite_sweep_seconds_since_success"
    }


def test_a_single_failure_is_no_alarm_and_each_act_has_its_age(client, monkeypatch, settings):
    now = timezone.now()
    swept(now - timedelta(minutes=5))
    with monkeypatch.context() as patched:
        patch(patched, settings.SWEEP_ACTIONS[0], fail)
        swept(now)
    assert ask_ready(client, monkeypatch, settings)[0] == 200
    ages = read_ages(now)
    assert ages == dict.fromkeys(names(settings), 0) | {settings.SWEEP_ACTIONS[0]: 300}


def test_before_the_first_sweep_nothing_is_late(client, monkeypatch, settings):
    assert ask_ready(client, monkeypatch, settings) == (
        200,
        {"ok": True, "says": "What is due by time is done."},
    )


def test_acts_that_are_gone_from_the_code_are_forgotten(settings):
    swept()
    settings.SWEEP_ACTIONS = settings.SWEEP_ACTIONS[1:]
    swept(moment(1))
    assert [act.name for act in load_acts()] == names(settings)


# ---------------------------------------------------------------- within one act


def test_an_export_file_that_cannot_be_deleted_does_not_keep_the_others(monkeypatch, caplog):
    project = make_project(slug="ours")
    lead = make_lead(project=project)
    first, second = (make_export(project, lead) for _ in range(2))
    later = NOW + timedelta(days=2)
    delete = default_storage.delete

    def deny(name):
        if name == first.stored_as:
            raise DENIED
        delete(name)

    monkeypatch.setattr(default_storage, "delete", deny)
    with pytest.raises(PermissionError):
        remove_expired_files(by=lead, now=later)
    assert list(Export.objects.filter(removed_at=later)) == [second]
    assert not default_storage.exists(second.stored_as)
    assert "remove" in caplog.text
    assert "Traceback" in caplog.text


def test_a_part_that_cannot_be_deleted_does_not_keep_the_others(monkeypatch, tmp_path):
    folder = tmp_path / "uploads" / "incoming"
    folder.mkdir(parents=True)
    for name in "abc":
        (folder / name).write_bytes(b"x")
    incoming = sorted(path.name for path in folder.iterdir())
    unlink = type(folder).unlink

    def deny(path, **given):
        if path.name == "b":
            raise DENIED
        unlink(path, **given)

    monkeypatch.setattr("workspace.blob_store._incoming", lambda: folder)
    monkeypatch.setattr(type(folder), "unlink", deny)
    with pytest.raises(PermissionError):
        drop_parts(before=timezone.now() + timedelta(days=1))
    assert incoming == ["a", "b", "c"]
    assert [path.name for path in folder.iterdir()] == ["b"]


def test_the_heads_of_the_day_are_kept_also_when_nothing_can_be_deleted(monkeypatch, settings, tmp_path):
    by = system_person(now=NOW)
    with monkeypatch.context() as patched:
        patched.setattr(SignIn.objects, "filter", fail)
        with pytest.raises(PermissionError):
            run_daily_maintenance(by=by, now=NOW)
    assert (tmp_path / "audit" / name_heads(NOW)).exists()
    # What could not be deleted is tried again with the next sweep.
    SignIn.objects.create(session_key="old", session_data="", expire_date=NOW - timedelta(days=1))
    assert run_daily_maintenance(by=by, now=moment(1))
    assert not SignIn.objects.exists()


def test_a_slot_that_cannot_be_freed_does_not_keep_the_others(monkeypatch):
    first, second = start(), start()
    free = import_string("discussions.slots.actions.close_given_back")

    def refuse(*, game):
        if game == first.game_id:
            raise ValueError("this one")
        free(game=game)

    monkeypatch.setattr("discussions.slots.actions.close_given_back", refuse)
    later = moment() + 2 * LEASE
    Slot.objects.filter(evaluator__isnull=False).update(lease_until=moment())
    with pytest.raises(ValueError, match="this one"):
        import_string("discussions.slots.actions.expire_leases")(by=first.evaluator, now=later)
    states = dict(Evaluation.objects.values_list("pk", "state"))
    assert (states[first.pk], states[second.pk]) == ("draft", "lapsed")


def test_a_webhook_whose_job_cannot_be_queued_does_not_keep_the_others(monkeypatch):
    project = make_project(slug="ours")
    webhooks = [make_webhook(project=project).webhook for _ in range(2)]
    measure_games(project, 1)
    enqueue = import_string("workspace.jobs.actions.enqueue")

    def refuse(**given):
        if given["subject"] == f"webhook:{webhooks[0].pk}":
            raise ValueError("this one")
        return enqueue(**given)

    monkeypatch.setattr("workspace.outbox.actions.send.enqueue", refuse)
    with pytest.raises(ValueError, match="this one"):
        import_string("workspace.outbox.actions.send.enqueue_due")(by=system_person(now=NOW), now=moment(1))
    assert [job.subject for job in Job.objects.all()] == [f"webhook:{webhooks[1].pk}"]
