"""Our answers to allauth: who may sign in, from which address, and where to go afterwards."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.flows.login import get_authentication_records
from allauth.core.internal.ratelimit import consume, get_ip
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from workspace.authentication.actions import link_outside_account, send_password_link
from workspace.authentication.core import describe_browser
from workspace.models import Person
from workspace.models.sign_ins import find_signed_in
from workspace.outbox.queries import page_address
from workspace.web.devices import known_device
from workspace.web.next_page import is_page_of_ours

FROM_ANYWHERE = "sign_in_from_anywhere"
logger = logging.getLogger("evalsite.sign_in")


class SignInRules(DefaultAccountAdapter):
    """No sign-up, no hint whether an account exists, and no client address that the client can choose."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": _("The e-mail address and the password do not match. Try again."),
        "too_many_login_attempts": _("Too many attempts. Wait five minutes, then try again."),
    }

    def get_login_stages(self) -> list[str]:
        """The stages between the password and being signed in: only the second step."""
        return ["workspace.authentication.views.SecondStep"]

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accounts are made by invitation only."""
        return False

    def authenticate(self, request: HttpRequest, **credentials: object) -> AbstractBaseUser | None:
        """The person, or None; a deactivated account and a service account get the same answer as a wrong password."""
        person = super().authenticate(request, **credentials)
        if person is None or not person.is_active or person.is_service:
            logger.info("sign-in refused from %s", self.get_client_ip(request))
            return None
        return person

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt, by account and address, and by account from anywhere; a success takes it back.

        So somebody who fails on purpose locks out only the computers on which the account never signed in.
        """
        super().pre_authenticate(request, **credentials)
        email = str(credentials.get("email", "")).lower()
        self._from_anywhere = None
        if known_device(request, email) is None:
            limits = {"config": {FROM_ANYWHERE: settings.ACCOUNT_FAILURES}, "key": email}
            self._from_anywhere = consume(request, app="evalsite", action=FROM_ANYWHERE, **limits)
            if not self._from_anywhere:
                self._rollback_login_failed_rl_usage()
                raise self.validation_error("too_many_login_attempts")

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        email = str(credentials.get("email", "")).lower()
        return f"{email}:{known_device(request, email) or get_ip(request)}"

    def _rollback_login_failed_rl_usage(self) -> None:
        super()._rollback_login_failed_rl_usage()
        if usage := getattr(self, "_from_anywhere", None):
            usage.rollback()

    def login(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        """Begin a new session with a new key; remember the computer from now on, and the account outside, if any."""
        for record in get_authentication_records(request, user):
            if "issuer" in record and isinstance(user, Person):
                outside = {"issuer": record["issuer"], "subject": record["uid"]}
                link_outside_account(**outside, by=user, now=timezone.now())
        super().login(request, user)
        request.remember_device_of = user  # type: ignore[attr-defined]
        request.session["browser"] = describe_browser(request.headers.get("User-Agent", ""))
        logger.info("signed in: person %s", user.pk)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """The link for a new password, under the site's own address, whatever host the request names."""
        person, _dash, token = key.partition("-")
        return page_address(reverse("account_reset_password_from_key", args=[person, token]))

    def send_password_reset_mail(self, user: AbstractBaseUser, email: str, context: dict[str, Any]) -> None:
        """Queue the e-mail with the link, for people who sign in with a password; service accounts get none."""
        if isinstance(user, Person) and not user.is_service:
            send_password_link(person=user, link=context["password_reset_url"], by=None, now=timezone.now())

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address of the client (`ClientAddress`); headers that a client can set are ignored."""
        return str(request.META.get("REMOTE_ADDR") or "unknown")

    def is_safe_url(self, url: str | None) -> bool:
        return is_page_of_ours(url or "")

    def is_ajax(self, request: HttpRequest) -> bool:
        """Answers are pages and regions, never allauth's JSON."""
        return False

    def add_message(self, *args: object, **kwargs: object) -> None:
        """Add nothing: the next page says enough."""


class PersonBackend(AuthenticationBackend):
    """Sign-in by e-mail and password as allauth has it; the signed-in person is read by a prepared query."""

    get_user = staticmethod(find_signed_in)
