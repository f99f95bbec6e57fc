"""An erased person leaves judgements under a pseudonym, and name and address nowhere."""

import pytest
from django.urls import reverse

from discussions.archives.actions.erasures import ask_to_erase
from discussions.models import Stage
from rubric.models import Response, Reviewer
from tests.discussions.archives.test_erasures import breaches
from tests.factories.comparisons import make_set
from tests.factories.erasures import erase, find_everywhere
from tests.factories.exports import make_export
from tests.factories.iterations import make_stage
from tests.factories.people import NOW, make_admin, make_person, moment
from tests.factories.tampering import without_triggers
from tests.factories.verdicts import recorded_verdict
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import AccessToken, Chain, Email, Event, Invitation, KeptAnswer, Notification, Person
from workspace.people.actions.people import change_settings, reactivate_person, system_person
from workspace.people.actions.projects import add_member
from workspace.tokens.actions import create_token

pytestmark = [pytest.mark.django_db, pytest.mark.services]
CANARY, FORMER = "Quetzalcoatlus", "Hatzegopteryx"


def plant() -> Person:
    """A lead whose names stand in every place that copies them."""
    verdict = recorded_verdict()
    project, admin = verdict.game.project, make_admin()
    person = make_person(name=f"{FORMER} Northropi", email=f"{CANARY.lower()}@example.org")
    add_member(project=project, person=person, role="lead", by=admin, now=NOW)
    change_settings(name=f"{CANARY} Northropi", time_zone="", has_single_keys=True, by=person, now=moment(1))
    person.refresh_from_db()
    made = make_set(by=person, people=[person], authors={2: person.email})
    assert Response.objects.filter(written_by=person, author__contains=CANARY).exists()
    assert Reviewer.objects.filter(person=person, name__contains=CANARY).exists()
    make_stage(project=project, by=person)
    make_export(project=project, by=person)
    create_token(name=f"laptop of {CANARY}", scopes={"read"}, days=9, person=person, by=person, now=NOW)
    Invitation.objects.create(
        email=person.email,
        name=person.name,
        role="admin",
        secret_hash="x",
        created_at=NOW,
        created_by=admin,
        expires_at=NOW,
        accepted_at=NOW,
        accepted_by=person,
    )
    Email.objects.create(
        person=person, address=person.email, purpose="digest", subject="News", expires_at=NOW, created_at=NOW
    )
    Notification.objects.create(
        person=person, project=project, code="x", subject="x", about={"by": person.name}, created_at=NOW
    )
    KeptAnswer.objects.create(
        person=admin, key="x", request_sha256="x", status=200, body=person.name, created_at=NOW
    )
    assert made.pk
    return person


def test_name_and_address_are_nowhere_and_the_log_still_holds():
    person = plant()
    admin = Person.objects.filter(is_admin=True).first()
    assert find_everywhere(CANARY)
    assert find_everywhere(FORMER)
    heads = {chain.pk: chain.seq for chain in Chain.objects.all()}
    erasure = erase(person, by=admin)
    assert erasure.done_at
    assert find_everywhere(CANARY) == []
    assert find_everywhere(FORMER) == []
    assert [sentence for sentence in breaches() if "invitation" not in sentence] == []
    assert all(chain.seq >= heads.get(chain.pk, 0) for chain in Chain.objects.all())
    person.refresh_from_db()
    assert person.name.startswith("erased-")
    assert not person.is_active
    assert not AccessToken.objects.filter(person=person, revoked_at=None).exists()
    changed = Event.objects.get(verb="settings:changed").details
    assert changed["former_name"] == person.name
    with pytest.raises(NotAllowed, match="was erased"):
        reactivate_person(person=person, by=admin, now=NOW)


@pytest.mark.services(is_long=True)
def test_a_detail_that_was_changed_without_a_tombstone_is_a_breach():
    person = plant()
    admin = Person.objects.filter(is_admin=True).first()
    erase(person, by=admin)
    line = Event.objects.get(verb="settings:changed")
    with without_triggers():
        Event.objects.filter(pk=line.pk).update(detail=line.detail.replace("erased-", "nobody-"))
    assert any("does not match its seal" in sentence for sentence in breaches())


@pytest.mark.services(is_long=True)
def test_a_line_that_was_altered_before_is_not_hidden_by_an_erasure():
    person = plant()
    with without_triggers():
        Event.objects.filter(verb="settings:changed").update(role="admin")
    erasure = erase(person, by=Person.objects.filter(is_admin=True).first())
    assert erasure.done_at is None
    assert "was altered" in erasure.job.error
    assert find_everywhere(CANARY)


def test_a_gate_that_named_the_person_keeps_its_figures():
    person = plant()
    stage = Stage.objects.get()
    door = f'{{"is_open":true,"missing":[],"statement":{{"by":"{person.name}","on":"2026-03-02","says":"Good"}}}}'
    with without_triggers():
        Stage.objects.update(door=door, closed_at=NOW, closed_by=person)
    erase(person, by=Person.objects.filter(is_admin=True).first())
    stage.refresh_from_db()
    assert '"says":"Good"' in stage.door
    assert find_everywhere(CANARY) == []
    hashes = Event.objects.get(verb="person:erased", chain__project=None).details["hashes"]
    assert hashes == {f"stage:{stage.pk}": bytes_hash(stage.door.encode())}


def test_oneself_the_last_admin_the_system_and_a_reason_with_the_name_are_refused():
    admin, other = make_admin(), make_person(name="Ada Byron")
    for whom, why in ((admin, "Nobody erases themselves"), (system_person(now=NOW), "system account")):
        with pytest.raises(NotAllowed, match=why):
            ask_to_erase(thing=whom, reason="Why", by=admin, now=NOW)
    Person.objects.filter(pk=admin.pk).update(is_active=False)
    second = make_admin()
    with pytest.raises(NotAllowed, match="last admin"):
        ask_to_erase(thing=second, reason="Why", by=admin, now=NOW)
    for reason in ("Asked by Ada Byron", other.email, ""):
        with pytest.raises(Unacceptable):
            ask_to_erase(thing=other, reason=reason, by=second, now=NOW)
    with pytest.raises(NotAllowed):
        ask_to_erase(thing=other, reason="Why", by=make_person(), now=NOW)


def test_the_page_shows_what_goes_and_asks_for_the_address(client):
    admin, person = make_admin(), make_person(name="Ada Byron")
    client.force_login(admin)
    page = reverse("erase_person", args=[person.pk])
    assert "What the person judged, decided and wrote stays" in client.get(page).content.decode()
    assert client.post(page, {"reason": "Why", "confirm": "x"}).status_code == 422
    assert client.post(page, {"reason": "Why", "confirm": f"person {person.pk}"}).status_code == 303
    listed = client.get(reverse("erasures")).content.decode()
    assert f"person {person.pk}" in listed
    assert "Ada Byron" not in listed
