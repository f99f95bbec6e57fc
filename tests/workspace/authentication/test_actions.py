"""Second factors: set up, used once, replaced, switched off, reset; their secrets locked."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command

from tests.factories.people import NOW, PASSWORD, make_admin, make_lead, make_person, make_project
from tests.factories.sign_in import App, make_secured
from workspace.authentication.actions import (
    prove,
    renew_recovery_codes,
    reset_second_factor,
    set_up_second_factor,
    switch_off_second_factor,
    use_code,
)
from workspace.authentication.queries import FactorRules, find_step, has_second_factor
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, SignIn
from workspace.models.sign_ins import SessionStore
from workspace.people.actions.people import end_other_sign_ins

pytestmark = pytest.mark.django_db


def told() -> list[str]:
    """What the audit log says of second factors."""
    return [
        verb for verb in Event.objects.order_by("pk").values_list("verb", flat=True) if "account:" not in verb
    ]


def signed_in_at(person) -> str:
    """A sign-in of the person, in some browser; its key."""
    store = SessionStore()
    store["_auth_user_id"] = str(person.pk)
    store.create()
    store.save()
    return store.session_key


# RFC 6238, appendix B: the last six of the eight digits that SHA-1 gives for this secret.
@pytest.mark.parametrize(
    ("seconds", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (20000000000, "353130")],
)
def test_codes_are_those_of_the_standard(seconds, code):
    moment = NOW.fromtimestamp(seconds, NOW.tzinfo)
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    assert find_step(secret, code, moment) == seconds // 30
    assert find_step(secret, code[:3] + " " + code[3:], moment) == seconds // 30
    assert find_step(secret, code, moment + timedelta(seconds=30)) == seconds // 30
    assert find_step(secret, code, moment + timedelta(seconds=60)) is None
    assert find_step(secret, "", moment) is None
    assert find_step(secret, "१२३४५६", moment) is None


def test_a_set_up_ends_all_other_sign_ins_and_is_told():
    person, app = make_person(), App()
    here, elsewhere = signed_in_at(person), signed_in_at(person)
    others = signed_in_at(make_person())
    codes = set_up_second_factor(secret=app.secret, code=app.code(NOW), by=person, now=NOW, keep=here)
    assert len(set(codes)) == 10
    assert {len(code) for code in codes} == {8}
    assert set(SignIn.objects.values_list("pk", flat=True)) == {here, others}
    assert elsewhere not in {here, others}
    assert told() == ["second_factor:set_up"]


def test_a_wrong_code_sets_nothing_up():
    person, app = make_person(), App()
    with pytest.raises(Unacceptable):
        set_up_second_factor(secret=app.secret, code=app.code(NOW, steps=3), by=person, now=NOW)
    assert not has_second_factor(person)
    assert told() == []


def test_a_code_opens_once_and_none_before_it():
    person, app, _ = make_secured(now=NOW)
    use_code(code=app.code(NOW), by=person, now=NOW)
    later = NOW + timedelta(seconds=29)
    for spent in (app.code(NOW), app.code(NOW, steps=-1)):
        with pytest.raises(Unacceptable):
            use_code(code=spent, by=person, now=later)
    use_code(code=app.code(NOW, steps=1), by=person, now=later)


def test_the_code_of_the_set_up_opens_nothing_else():
    person, app = make_person(), App()
    set_up_second_factor(secret=app.secret, code=app.code(NOW), by=person, now=NOW)
    with pytest.raises(Unacceptable):
        use_code(code=app.code(NOW), by=person, now=NOW)


def test_a_recovery_code_opens_once_and_is_told():
    person, _, codes = make_secured(now=NOW)
    use_code(code=f"{codes[3][:4]} {codes[3][4:]}", by=person, now=NOW)
    with pytest.raises(Unacceptable):
        use_code(code=codes[3], by=person, now=NOW)
    use_code(code=codes[0], by=person, now=NOW)
    assert told() == ["second_factor:set_up", "recovery_code:used", "recovery_code:used"]
    assert '"left":8' in Event.objects.last().detail


def test_codes_of_others_open_nothing():
    person, _, _ = make_secured(now=NOW)
    _, app, codes = make_secured(now=NOW)
    for code in (app.code(NOW), codes[0]):
        with pytest.raises(Unacceptable):
            use_code(code=code, by=person, now=NOW)
    with pytest.raises(Unacceptable):
        use_code(code="000000", by=make_person(), now=NOW)


def test_new_recovery_codes_take_the_place_of_the_former():
    person, _, former = make_secured(now=NOW)
    codes = renew_recovery_codes(by=person, now=NOW)
    assert not set(former) & set(codes)
    with pytest.raises(Unacceptable):
        use_code(code=former[0], by=person, now=NOW)
    use_code(code=codes[0], by=person, now=NOW)
    with pytest.raises(Conflict):
        renew_recovery_codes(by=make_person(), now=NOW)


def test_another_device_takes_the_place_of_the_former():
    person, app, codes = make_secured(now=NOW)
    make_secured(person, now=NOW)
    for code in (app.code(NOW), codes[0]):
        with pytest.raises(Unacceptable):
            use_code(code=code, by=person, now=NOW)
    assert '"replaced":true' in Event.objects.last().detail


def test_secrets_are_locked_in_the_database(settings):
    person, app, codes = make_secured(now=NOW)
    stored = str(list(Authenticator.objects.filter(user=person).values_list("data", flat=True)))
    assert not [secret for secret in (app.secret, *codes) if secret in stored]
    locked = Authenticator.objects.get(user=person, type="totp").data["secret"]
    assert FactorRules().decrypt(locked) == app.secret
    settings.AUDIT_KEY = "another-key-of-at-least-32-characters"
    with pytest.raises(ValueError, match="another key"):
        FactorRules().decrypt(locked)


def test_proof_is_the_password_or_a_code():
    person, app, _ = make_secured(now=NOW)
    prove(proof=PASSWORD, by=person, now=NOW)
    prove(proof=app.code(NOW), by=person, now=NOW)
    for wrong in (app.code(NOW), "not the password", ""):
        with pytest.raises(Unacceptable) as refused:
            prove(proof=wrong, by=person, now=NOW)
        assert refused.value.field == "proof"


def test_switching_off_is_for_those_who_need_none(settings):
    person, _, _ = make_secured(make_lead(project=make_project()), now=NOW)
    settings.REQUIRE_TOTP = True
    with pytest.raises(NotAllowed, match="another device"):
        switch_off_second_factor(by=person, now=NOW)
    settings.REQUIRE_TOTP = False
    switch_off_second_factor(by=person, now=NOW)
    assert not Authenticator.objects.filter(user=person).exists()
    assert told()[-1] == "second_factor:removed"
    with pytest.raises(Conflict):
        switch_off_second_factor(by=person, now=NOW)


def test_an_admin_resets_anothers_with_a_reason_and_it_ends_their_sign_ins():
    person, _, _ = make_secured(now=NOW)
    signed_in_at(person)
    admin = make_admin()
    for wrong in ("", "  ", "x" * 501):
        with pytest.raises(Unacceptable):
            reset_second_factor(person=person, reason=wrong, by=admin, now=NOW)
    reset_second_factor(person=person, reason="Phone lost, asked by telephone", by=admin, now=NOW)
    assert not has_second_factor(person)
    assert not SignIn.objects.of(person).exists()
    event = Event.objects.last()
    assert (event.verb, event.by, event.object_id) == ("second_factor:reset", admin, str(person.pk))
    assert "asked by telephone" in event.detail
    with pytest.raises(Conflict):
        reset_second_factor(person=person, reason="Again", by=admin, now=NOW)


def test_nobody_resets_their_own_and_only_admins_anybodys():
    admin, _, _ = make_secured(make_admin(), now=NOW)
    for by in (admin, make_person()):
        with pytest.raises(NotAllowed):
            reset_second_factor(person=admin, reason="Lost", by=by, now=NOW)
    assert has_second_factor(admin)


def test_the_command_resets_for_the_last_admin(capsys):
    admin, _, _ = make_secured(make_admin(), now=NOW)
    call_command("reset_second_factor", admin.email.upper(), reason="Phone and codes lost")
    assert "signs in by password alone" in capsys.readouterr().out
    assert not has_second_factor(admin)
    for email in (admin.email, "nobody@example.org"):
        with pytest.raises(CommandError):
            call_command("reset_second_factor", email, reason="Again")


def test_ending_other_sign_ins_keeps_this_one_and_is_told_when_there_were_some():
    person = make_person()
    here = signed_in_at(person)
    assert end_other_sign_ins(by=person, now=NOW, keep=here) == 0
    assert told() == []
    signed_in_at(person)
    assert end_other_sign_ins(by=person, now=NOW, keep=here) == 1
    assert list(SignIn.objects.of(person).values_list("pk", flat=True)) == [here]
    assert told() == ["sign_ins:ended"]
