"""Exports are built by a job, kept for a day, taken by their owner alone; nothing is left of what was not finished."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.factories.people import NOW, load_membership, make_admin, make_lead, make_member, make_project
from workspace.blob_store import open_file
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.database.transactions import snapshot_and_writes
from workspace.exports import actions
from workspace.exports.actions import (
    LEASE,
    Source,
    build_export,
    cancel_export,
    remove_expired_files,
    remove_file,
    request_export,
    take_file,
)
from workspace.exports.core.files import JsonLinesFile
from workspace.jobs.actions import JobLost, take_job
from workspace.models import Event, Export, Job, Project

pytestmark = pytest.mark.services

DAY = timedelta(hours=settings.EXPORT_HOURS)


@pytest.fixture
def lead(db):
    return make_lead(project=make_project())


@pytest.fixture
def project(lead):
    return lead.memberships.get().project


def ask(project, by, **given):
    chosen = {"subject": "project", "format": "jsonl", "is_unblinded": True, "has_pseudonyms": False}
    return request_export(project=project, **chosen | {"has_byte_order_mark": False} | given, by=by, now=NOW)


def head(number):
    return {"kind": "export", "audit_head": {"seq": number, "mac": ""}}


def source(_export, items=None):
    given = [head(1), head(2)] if items is None else items
    return Source(given, 2, (), lambda _item: iter(()), JsonLinesFile, "P")


def build(export, *, read=source, now=NOW):
    """What a worker does with it."""
    job = take_job(job=export.job_id, now=now)
    build_export(job=job, clock=lambda: now, read=read)
    return load(export)


def load(export):
    return Export.objects.select_related("project", "job").get(pk=export.pk)


def kept_files():
    folder = Path(settings.MEDIA_ROOT)
    return sorted(path.name for name in ("exports", "incoming") for path in (folder / name).glob("*"))


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def test_an_export_is_written_kept_and_ready_for_a_day(project, lead):
    export = build(ask(project, lead))
    assert (export.ready_at, export.expires_at, export.job.state) == (NOW, NOW + DAY, "done")
    with open_file(export.stored_as) as file:
        lines = [json.loads(line) for line in file]
    assert [line["kind"] for line in lines] == ["export", "export", "end"]
    assert lines[-1]["lines"] == {"export": 2}
    assert export.byte_count == (settings.MEDIA_ROOT / export.stored_as).stat().st_size
    assert kept_files() == [Path(export.stored_as).name]


def test_making_downloading_and_removing_are_audited(project, lead, django_capture_on_commit_callbacks):
    export = build(ask(project, lead, has_pseudonyms=True))
    file, name = take_file(export=export, by=lead, now=NOW)
    file.close()
    assert name == f"{project.slug}.jsonl"
    with django_capture_on_commit_callbacks(execute=True):
        remove_file(export=export, by=lead, now=NOW)
    assert kept_files() == []
    events = Event.objects.filter(object_kind="export", object_id=str(export.pk)).order_by("seq")
    assert [event.verb for event in events] == ["export:made", "export:downloaded", "export:removed"]
    assert json.loads(events[0].detail) == {
        "format": "jsonl", "holds": "everything", "pseudonyms": True, "subject": "project",
    }  # fmt: skip
    with pytest.raises(Conflict):
        remove_file(export=load(export), by=lead, now=NOW)


def test_only_the_owner_takes_the_file_and_only_while_they_may_see_what_is_in_it(project, lead):
    export = build(ask(project, lead))
    for other in (make_admin(), make_lead(project=project), make_member(project=project)):
        with pytest.raises(NotAllowed):
            take_file(export=export, by=other, now=NOW)
    membership = load_membership(person=lead, project=project)
    membership.role = "evaluator"
    membership.save()
    with pytest.raises(NotAllowed, match="Only team leads"):
        take_file(export=export, by=lead, now=NOW)


def test_an_evaluator_asks_for_their_own_work_only(project):
    evaluator = make_member(project=project)
    with pytest.raises(NotAllowed):
        ask(project, evaluator)
    assert ask(project, evaluator, is_unblinded=False).is_unblinded is False
    with pytest.raises(NotAllowed):
        ask(project, make_member(project=make_project()), is_unblinded=False)


def test_who_is_no_lead_any_more_when_the_worker_comes_gets_nothing(project, lead):
    export = ask(project, lead)
    load_membership(person=lead, project=project).__class__.objects.update(role="evaluator")
    with pytest.raises(NotAllowed):
        build(export)
    assert kept_files() == []


def test_a_file_is_removed_when_its_time_is_over_and_the_line_stays(project, lead):
    export = build(ask(project, lead))
    assert remove_expired_files(by=lead, now=NOW + DAY - timedelta(seconds=1)) == 0
    with pytest.raises(Conflict, match="its time was over"):
        take_file(export=export, by=lead, now=NOW + DAY)
    assert remove_expired_files(by=lead, now=NOW + DAY) == 1
    assert kept_files() == []
    assert load(export).removed_at == NOW + DAY
    assert remove_expired_files(by=lead, now=NOW + DAY) == 0


def test_what_is_not_ready_or_lost_is_said(project, lead):
    export = ask(project, lead)
    with pytest.raises(Conflict, match="not ready"):
        take_file(export=export, by=lead, now=NOW)
    ready = build(export)
    (settings.MEDIA_ROOT / ready.stored_as).unlink()
    with pytest.raises(Conflict, match="gone"):
        take_file(export=ready, by=lead, now=NOW)


def test_a_cancelled_export_stops_while_it_is_written_and_leaves_nothing(project, lead, monkeypatch):
    monkeypatch.setattr(actions, "RENEW_EVERY", 0.0)
    export = ask(project, lead)

    def items():
        yield head(1)
        cancel_export(export=load(export), by=lead, now=NOW)
        yield head(2)
        raise AssertionError("it went on")

    with pytest.raises(JobLost):
        build(export, read=lambda row: source(row, items()))
    assert (load(export).job.state, load(export).ready_at, kept_files()) == ("cancelled", None, [])
    with pytest.raises(Conflict):
        cancel_export(export=load(export), by=lead, now=NOW)


def test_after_a_killed_worker_another_one_starts_again(project, lead):
    export = ask(project, lead)
    take_job(job=export.job_id, now=NOW)
    left = settings.MEDIA_ROOT / "exports" / f"{export.pk}-1"
    left.parent.mkdir()
    left.write_bytes(b"kept, but its worker died before it could say so")
    ready = build(export, now=NOW + LEASE)
    assert kept_files() == [f"{export.pk}-2"]
    assert ready.stored_as == f"exports/{export.pk}-2"


def test_a_worker_that_lost_its_job_keeps_nothing(project, lead):
    export = ask(project, lead)
    job = take_job(job=export.job_id, now=NOW)
    Job.objects.update(fence=job.fence + 1)
    with pytest.raises(JobLost):
        build_export(job=job, clock=lambda: NOW, read=source)
    assert kept_files() == []


def test_the_lease_is_renewed_and_progress_is_told_while_it_is_written(project, lead, monkeypatch):
    monkeypatch.setattr(actions, "RENEW_EVERY", 0.0)
    export = ask(project, lead)
    seen = []

    def items():
        for number in (1, 2):
            seen.append(
                Job.objects.values_list("done_count", "total_count", "lease_until").get(pk=export.job_id)
            )
            yield head(number)

    build(export, read=lambda row: source(row, items()))
    assert seen[1] == (1, 2, NOW + LEASE)


def test_parquet_is_refused_with_what_to_install_where_it_is_missing(project, lead, monkeypatch):
    monkeypatch.setattr("workspace.exports.permissions.find_spec", lambda _name: None)
    with pytest.raises(Unacceptable, match=r"pip install -r requirements-parquet\.txt"):
        ask(project, lead, format="parquet")
    assert not Export.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_write_goes_through_while_a_snapshot_is_read():
    make_lead(project=make_project())
    before = Project.objects.values_list("next_game_number", flat=True)
    with snapshot_and_writes() as write:
        assert list(before.all()) == [1]
        write(lambda: Project.objects.update(next_game_number=7) and None)
        assert list(before.all()) == [1]
    assert list(before.all()) == [7]
    with snapshot_and_writes() as write, pytest.raises(JobLost):
        write(_lose)
    assert not connection.in_atomic_block


def _lose():
    raise JobLost("gone")
