"""The audit log as it is written: one chained line per act, inside the act's transaction."""

import pytest
from django.db import transaction

from tests.factories.people import NOW, make_admin, make_lead, make_person, make_project
from workspace.audit.actions import record_event
from workspace.core.audit_chain import first_break
from workspace.models import Chain, Event

KEY = "only-for-tests-" + "a" * 50


def load_chain(project):
    chain = Chain.objects.get(project=project)
    return [event.to_sealed() for event in chain.events.order_by("seq")], chain.to_head()


@pytest.mark.django_db
def test_lines_of_a_project_are_numbered_and_chained():
    project = make_project()
    lead = make_lead(project=project)
    with transaction.atomic():
        record_event("game:withdrawn", ("game", 7), by=lead, now=NOW, project=project, detail={"b": 1})
    lines, head = load_chain(project)
    assert [sealed.line.seq for sealed in lines] == [1, 2, 3]
    assert [sealed.line.verb for sealed in lines] == ["project:created", "membership:added", "game:withdrawn"]
    assert lines[-1].line.role == "lead"
    assert lines[0].line.role == "system"
    assert first_break(lines, head, KEY) is None


@pytest.mark.django_db
def test_chains_of_projects_and_of_the_installation_are_separate():
    first, two = make_project(), make_project()
    make_person()
    assert Chain.objects.get(project=first).seq == 1
    assert Chain.objects.get(project=two).seq == 1
    assert Chain.objects.get(project=None).seq == Event.objects.filter(chain__project=None).count() == 1


@pytest.mark.django_db
def test_the_role_is_the_one_at_the_time():
    admin, stranger = make_admin(), make_person()
    project = make_project(by=admin)
    with transaction.atomic():
        event = record_event("a:b", ("game", 1), by=stranger, now=NOW, project=project)
    assert Event.objects.get(chain__project=project, seq=1).role == "admin"
    assert event.role == ""


@pytest.mark.django_db(transaction=True)
def test_a_line_outside_of_a_transaction_is_refused():
    person = make_person()
    with pytest.raises(RuntimeError, match="outside of a transaction"):
        record_event("a:b", ("game", 1), by=person, now=NOW, project=None)


@pytest.mark.django_db
def test_a_line_about_what_the_log_has_no_name_for_is_refused():
    with transaction.atomic(), pytest.raises(RuntimeError, match='called "thing"'):
        record_event("a:b", ("thing", 1), by=make_person(), now=NOW, project=None)


@pytest.mark.django_db(transaction=True)
def test_a_line_falls_with_its_act():
    person = make_person()
    before = Chain.objects.get(project=None).seq
    with transaction.atomic():
        record_event("a:b", ("game", 1), by=person, now=NOW, project=None)
        transaction.set_rollback(True)
    assert Chain.objects.get(project=None).seq == before == Event.objects.count()
