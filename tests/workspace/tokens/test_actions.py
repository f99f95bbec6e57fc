"""Access tokens and service accounts: who makes and revokes them, what is stored, what is written down."""

from datetime import timedelta

import pytest
from django.contrib.auth.hashers import is_password_usable

from tests.factories.people import NOW, load_membership, make_admin, make_member, make_person, make_project
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import AccessToken, Counter, Event, KeptAnswer
from workspace.tokens.actions import (
    create_service_account,
    create_token,
    forget_answers,
    keep_answer,
    note_use,
    revoke_token,
)
from workspace.tokens.core import ANSWERS_STAY, MOST_TOKENS, PREFIX
from workspace.tokens.queries import find_bearer

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def made_by(person, **given):
    values = {"name": "Nightly", "scopes": ["read"], "days": 90, "person": person, "by": person, "now": NOW}
    return create_token(**values | given)


def test_a_token_is_made_told_of_and_stored_as_a_hash_alone():
    person = make_person()
    token, secret = made_by(person, scopes=["admin", "read", "read"])
    assert secret.startswith(PREFIX)
    assert (token.scopes, token.expires_at) == ("read admin", NOW + timedelta(days=90))
    row = AccessToken.objects.values().get()
    assert secret not in str(row)
    assert secret.startswith(row["start"])
    event = Event.objects.get(verb="access_token:created")
    assert (event.object_id, secret in event.detail) == (str(token.pk), False)
    bearer = find_bearer(secret)
    assert (bearer.token, bearer.person, bearer.scopes) == (token.pk, person, {"read", "admin"})
    assert find_bearer(secret + "x") is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["read", "write"]}, "scopes"),
        ({"days": 0}, "days"),
        ({"days": 367}, "days"),
    ],
)
def test_a_bad_token_is_not_made(changes, field):
    with pytest.raises(Unacceptable) as refusal:
        made_by(make_person(), **changes)
    assert refusal.value.field == field
    assert not AccessToken.objects.exists()


def test_a_person_has_so_many_tokens_and_no_more_until_one_is_revoked():
    person = make_person()
    tokens = [made_by(person)[0] for _token in range(MOST_TOKENS)]
    with pytest.raises(Conflict, match="Revoke one"):
        made_by(person)
    revoke_token(token=tokens[0], by=person, now=NOW)
    made_by(person)


def test_people_make_their_own_tokens_and_admins_those_of_service_accounts():
    admin, person = make_admin(), make_person()
    account = create_service_account(name="Pipeline", project=make_project(), role="lead", by=admin, now=NOW)
    with pytest.raises(NotAllowed, match="their own"):
        made_by(person, by=admin)
    with pytest.raises(NotAllowed, match="Only admins"):
        made_by(account, by=person)
    assert made_by(account, by=admin)[0].created_by == admin


def test_owners_and_admins_revoke_a_token_once():
    person = make_person()
    token = made_by(person)[0]
    with pytest.raises(NotAllowed, match="Only its owner"):
        revoke_token(token=token, by=make_person(), now=NOW)
    revoke_token(token=token, by=make_admin(), now=NOW)
    with pytest.raises(Conflict, match="already"):
        revoke_token(token=token, by=person, now=NOW)
    assert Event.objects.filter(verb="access_token:revoked").count() == 1


def test_a_service_account_has_a_role_and_no_password():
    admin, project = make_admin(), make_project()
    account = create_service_account(name="Pipeline", project=project, role="lead", by=admin, now=NOW)
    assert (account.is_service, is_password_usable(account.password)) == (True, False)
    assert load_membership(person=account, project=project).role == "lead"
    with pytest.raises(NotAllowed):
        create_service_account(name="Other", project=project, role="lead", by=make_person(), now=NOW)


def test_the_use_of_a_token_is_noted_once_a_minute_and_with_every_new_address():
    person = make_person()
    secret = made_by(person)[1]

    def use(seconds, address):
        at = NOW + timedelta(seconds=seconds)
        note_use(bearer=find_bearer(secret), address=address, by=person, now=at)
        return AccessToken.objects.values_list("used_at", "used_address").get()

    assert use(0, "10.0.0.1") == (NOW, "10.0.0.1")
    assert use(59, "10.0.0.1") == (NOW, "10.0.0.1")
    assert use(59, "10.0.0.2") == (NOW + timedelta(seconds=59), "10.0.0.2")
    assert use(120, "10.0.0.2") == (NOW + timedelta(seconds=120), "10.0.0.2")


def test_answers_are_forgotten_after_some_days_and_counts_when_they_run_out():
    person = make_person()
    keep_answer(key="k", request_sha256="0", status=200, body="{}", by=person, now=NOW)
    Counter.objects.create(key="window:1", value="1", expires_at=NOW + timedelta(minutes=1))
    forget_answers(by=person, now=NOW)
    assert (KeptAnswer.objects.count(), Counter.objects.count()) == (1, 1)
    forget_answers(by=person, now=NOW + ANSWERS_STAY)
    assert (KeptAnswer.objects.count(), Counter.objects.count()) == (0, 0)


def test_no_service_account_makes_tokens_or_signs_in_by_an_address(client):
    account = create_service_account(
        name="Pipeline", project=make_project(), role="lead", by=make_admin(), now=NOW
    )
    member = make_member(project=make_project(), person=account)
    client.force_login(member)
    assert client.get("/settings/").status_code == 302
