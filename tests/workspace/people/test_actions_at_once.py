"""Many at once: one invitation lets one person in, and the audit chain stays whole."""

import threading

import pytest
from django.conf import settings
from django.db import connection, transaction

from tests.factories.people import NOW, make_admin, make_person, make_project
from tests.factories.sign_in import make_secured
from workspace.audit.actions import record_event
from workspace.authentication.actions import use_code
from workspace.core.audit_chain import first_break
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Chain, Invitation, Membership, Person
from workspace.people.actions.people import accept_invitation, invite

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


def at_once(count: int, act) -> list:
    """What `act(number)` gave in so many threads that start together."""
    gate, results = threading.Barrier(count), []

    def run(number: int) -> None:
        try:
            gate.wait()
            results.append(act(number))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == count, "a thread failed"
    return results


def test_one_invitation_lets_one_person_in():
    project = make_project()
    invited = invite(email="new@example.org", role="lead", project=project, by=make_admin(), now=NOW)

    def take(number: int) -> bool:
        try:
            accept_invitation(
                secret=invited.secret,
                name=f"Taker {number}",
                password="seven green parrots",
                by=None,
                now=NOW,
            )
        except Conflict:
            return False
        return True

    assert sorted(at_once(6, take)) == [False] * 5 + [True]
    person = Person.objects.get(email="new@example.org")
    assert Membership.objects.get(project=project).person == person
    assert Invitation.objects.get().accepted_by == person


def test_lines_written_at_once_make_one_chain():
    project, person = make_project(), make_person()

    def write(number: int) -> None:
        for turn in range(5):
            with transaction.atomic():
                record_event("a:b", ("game", f"{number}.{turn}"), by=person, now=NOW, project=project)

    at_once(6, write)
    chain = Chain.objects.get(project=project)
    lines = [event.to_sealed() for event in chain.events.order_by("seq")]
    assert len(lines) == 31
    assert first_break(lines, chain.to_head(), settings.AUDIT_KEY) is None


@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_a_code_opens_once_also_when_it_is_given_twice_at_the_same_moment(kind):
    person, app, codes = make_secured(now=NOW)
    code = app.code(NOW) if kind == "app" else codes[0]

    def give(_number: int) -> bool:
        try:
            use_code(code=code, by=person, now=NOW)
        except Unacceptable:
            return False
        return True

    assert sorted(at_once(6, give)) == [False] * 5 + [True]
