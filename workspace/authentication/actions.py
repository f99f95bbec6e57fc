"""Second factors, codes at the sign-in, links for new passwords by e-mail, and accounts of the OIDC issuer."""

from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.utils import decrypt, encrypt
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from workspace.audit.actions import record_event
from workspace.authentication.permissions import check_reset_second_factor, check_switch_off_second_factor
from workspace.authentication.queries import APP, CODES, codes_left, factor_rows, find_step
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.models import Person, SignIn
from workspace.outbox.actions.queue import queue_email
from workspace.outbox.core import PASSWORD_RESET

# Only the audit event holds the reason.
LONGEST_IN_EVENT = 500


def set_up_second_factor(*, secret: str, code: str, by: Person, now: datetime, keep: str = "") -> list[str]:
    """Make the app that knows the secret one's second factor, in place of an earlier one; return the recovery codes.

    All other sign-ins of the account end, except the one with the key `keep`. Raises Unacceptable for a wrong code.
    """
    step = find_step(secret, code, now)
    if step is None:
        raise _does_not_fit()
    with transaction.atomic():
        _lock(by)
        replaced = bool(factor_rows(by).delete()[0])
        data = {"secret": encrypt(secret), "last_step": step}
        Authenticator.objects.create(user=by, type=APP, data=data, created_at=now, last_used_at=now)
        codes = _new_codes(by, now)
        SignIn.objects.of(by, but=keep).delete()
        record_event("second_factor:set_up", by, by=by, now=now, project=None, detail={"replaced": replaced})
    return codes


def renew_recovery_codes(*, by: Person, now: datetime) -> list[str]:
    """Make new recovery codes; the old ones no longer work. Raises Conflict without a second factor."""
    with transaction.atomic():
        _lock(by)
        if not factor_rows(by).filter(type=APP).exists():
            raise _has_none(
                _("Set up a second factor first: recovery codes replace it when the app is not at hand.")
            )
        factor_rows(by).filter(type=CODES).delete()
        codes = _new_codes(by, now)
        record_event("recovery_codes:renewed", by, by=by, now=now, project=None, detail={})
    return codes


def switch_off_second_factor(*, by: Person, now: datetime) -> None:
    """Sign in by password alone from now on. Raises NotAllowed where it is required, Conflict when there is none."""
    check_switch_off_second_factor(by)
    with transaction.atomic():
        _lock(by)
        if not factor_rows(by).delete()[0]:
            raise _has_none(_("There is no second factor any more."))
        record_event("second_factor:removed", by, by=by, now=now, project=None, detail={})


def reset_second_factor(*, person: Person, reason: str, by: Person, now: datetime) -> None:
    """Remove the second factor of somebody who lost it; their sign-ins end, the next one is by password alone.

    Raises NotAllowed (also for one's own), Unacceptable without a reason, Conflict when there is none.
    """
    check_reset_second_factor(by, person)
    ask = _("Say in a few words why it is reset, such as how you know that it is them who asks.")
    said = clean_text(reason, ask=ask, most=LONGEST_IN_EVENT)
    with transaction.atomic():
        _lock(person)
        if not factor_rows(person).delete()[0]:
            raise _has_none(_("This person has no second factor."))
        SignIn.objects.of(person).delete()
        record_event("second_factor:reset", person, by=by, now=now, project=None, detail={"reason": said})


def use_code(*, code: str, by: Person, now: datetime) -> None:
    """Use up a code of the person's app, or one of their recovery codes: each works once. Raises Unacceptable."""
    with transaction.atomic():
        _lock(by)
        rows = {row.type: row for row in factor_rows(by)}
        if APP in rows and _use_step(rows[APP], code, now):
            return
        if CODES in rows and RecoveryCodes(rows[CODES]).validate_code(code):
            row = factor_rows(by).get(type=CODES)
            detail = {"left": len(codes_left(row))}
            record_event("recovery_code:used", by, by=by, now=now, project=None, detail=detail)
            return
    raise _does_not_fit()


def prove(*, proof: str, by: Person, now: datetime) -> None:
    """Verify that it is the person: by their password, or by a code, which is then used up. Raises Unacceptable."""
    if by.check_password(proof[:257]):
        return
    try:
        use_code(code=proof, by=by, now=now)
    except Unacceptable:
        says = _("This is neither your password nor a valid code. A code works once.")
        raise Unacceptable(says, field="proof", code="wrong_proof") from None


def link_outside_account(*, issuer: str, subject: str, by: Person, now: datetime) -> None:
    """Remember who somebody is at the OpenID Connect issuer, when they sign in there for the first time.

    A link to an earlier issuer is replaced. Raises Conflict when the account is linked to somebody else there.
    """
    with transaction.atomic():
        row = Person.objects.select_for_update().get(pk=by.pk)
        if (row.oidc_issuer, row.oidc_subject) == (issuer, subject):
            return
        if row.oidc_subject and row.oidc_issuer == issuer:
            raise Conflict(_("This account was linked to somebody else just now."), code="linked")
        row.oidc_issuer, row.oidc_subject = issuer, subject
        row.save(update_fields=["oidc_issuer", "oidc_subject"])
        record_event("outside_account:linked", by, by=by, now=now, project=None, detail={"issuer": issuer})


def unlink_outside_account(*, person: Person, reason: str, by: Person, now: datetime) -> None:
    """Forget who somebody is at the OpenID Connect issuer: whoever has the account's address there links it again.

    Raises Unacceptable without a reason, Conflict when it is not linked.
    """
    said = clean_text(reason, ask=_("Say in a few words why it is unlinked."), most=LONGEST_IN_EVENT)
    with transaction.atomic():
        linked = Person.objects.filter(pk=person.pk).exclude(oidc_subject="")
        if not linked.update(oidc_issuer="", oidc_subject=""):
            raise Conflict(_("This account is not linked."), code="not_linked")
        detail = {"reason": said}
        record_event("outside_account:unlinked", person, by=by, now=now, project=None, detail=detail)


def send_password_link(*, person: Person, link: str, by: Person | None, now: datetime) -> None:
    """Send the person the link by which they choose a new password; `by` is None for somebody who is not signed in.

    The audit line names the site, since nobody proved who they are.
    """
    said = _(
        "Somebody, probably you, asked for a new password for your account at evalsite.\n\n"
        "Choose it here, within 24 hours:\n%(link)s\n\n"
        "The link works once. Your second factor and your access tokens stay as they are. If you did not ask for it, "
        "you need do nothing: your password stays as it is."
    ) % {"link": link}
    with transaction.atomic():
        sent = queue_email(
            address=person.email,
            purpose=PASSWORD_RESET,
            subject=_("evalsite: choose a new password"),
            body=f"{said}\n",
            by=by or person,
            now=now,
            person=person,
            expires_at=now + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
        )
        if sent is not None:
            site = by or Person.objects.system(now=now)
            record_event("password:link_sent", person, by=site, now=now, project=None, detail={})


def _use_step(row: Authenticator, code: str, now: datetime) -> bool:
    """Whether the app's code is right and newer than the last one used."""
    step = find_step(decrypt(row.data["secret"]), code, now)
    if step is None or step <= row.data["last_step"]:
        return False
    row.data["last_step"], row.last_used_at = step, now
    row.save(update_fields=["data", "last_used_at"])
    return True


def _new_codes(person: Person, now: datetime) -> list[str]:
    row = RecoveryCodes.activate(person).instance
    factor_rows(person).filter(pk=row.pk).update(created_at=now)
    return codes_left(row)


def _lock(person: Person) -> None:
    """Allow only one action on a person's second factor at a time, so that a code works once."""
    Person.objects.select_for_update().only("pk").get(pk=person.pk)


def _does_not_fit() -> Unacceptable:
    says = _("This code is not valid. Wait for the next one, and check that the phone's clock is right.")
    return Unacceptable(says, field="code", code="wrong_code")


def _has_none(sentence: str) -> Conflict:
    return Conflict(sentence, code="no_second_factor")
