"""Sign-in with the organisation's OpenID Connect provider, for people who return with an account's verified address.

allauth speaks the protocol (state, PKCE, the token's exchange). Added here: a nonce, a check of the token's signature
in every case, a single issuer, and no new accounts. The address counts once: then the account is linked to the subject
of the answer, and nothing else of it is stored.
Loaded only where OIDC_ISSUER is set.
"""

import logging
import secrets
from typing import Any

import jwt
from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from requests import RequestException  # noqa: TID251  allauth fetches from the issuer that the settings name

from workspace.authentication.forms import SignInForm
from workspace.models import Person
from workspace.web.next_page import next_page
from workspace.web.rate_limits import limited
from workspace.web.views import require, sign_in_methods

PROVIDER = "oidc"
LONGEST_SUBJECT = 191  # characters that allauth accepts; issuers give some 40

# Only signatures by a key pair: if shared keys were allowed, the public key would be enough to forge a token.
SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")

# The exceptions that an answer against the protocol raises.
FAULTS = (RequestException, OAuth2Error, jwt.PyJWTError, KeyError, TypeError, ValueError, AttributeError)
logger = logging.getLogger("evalsite.sign_in")


class Outside(OpenIDConnectOAuth2Adapter):
    """The provider, as its own description says; trusted only if it is the issuer that the settings name."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's description, if it is the right issuer and all its addresses are https."""
        config: dict[str, Any] = super().openid_config
        if str(config["issuer"]).rstrip("/") != settings.OIDC_ISSUER.rstrip("/"):
            raise OAuth2Error("another issuer answers")
        safe = ("https://",) if settings.OIDC_ISSUER.startswith("https:") else ("https://", "http://")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not str(config[name]).startswith(safe):
                raise OAuth2Error(f"{name} is no address to be trusted")
        return config

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """The person who returned, by a token made for this sign-in; if it lacks the address, that is requested."""
        claims = self._decode_id_token(app, kwargs["response"]["id_token"])
        if not constant_time_compare(str(claims.get("nonce", "")), derive_nonce(request.GET["state"])):
            raise OAuth2Error("the nonce is another one's")
        if not (isinstance(claims["sub"], str) and 0 < len(claims["sub"]) <= LONGEST_SUBJECT):
            raise OAuth2Error("the subject is no text of 1 to 191 characters")
        if "email" not in claims:
            known = self._fetch_user_info(token.token)
            if known["sub"] != claims["sub"]:
                raise OAuth2Error("the address is another one's")
            claims |= {name: known.get(name) for name in ("email", "email_verified")}
        return self.get_provider().sociallogin_from_response(request, {"id_token": claims})

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        header = jwt.get_unverified_header(id_token)
        if header["alg"] not in SIGNATURES or not header.get("kid"):
            raise OAuth2Error("the token is not signed by a key that can be looked up")
        claims: dict[str, Any] = jwtkit.verify_and_decode(
            credential=id_token,
            keys_url=self.openid_config["jwks_uri"],
            issuer=self.openid_config["issuer"],
            audience=app.client_id,
            lookup_kid=jwtkit.lookup_kid_jwk,
        )
        return claims


class OutsideRules(DefaultSocialAccountAdapter):
    """Our answers to allauth: no account is made, nothing is linked, and errors are shown on the sign-in page."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Accounts come by invitation only."""
        return False

    def authenticate_by_email(self, sociallogin: SocialLogin) -> None:
        """Replaces allauth's method, which removes the password of the person it finds."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Sign in the person linked to that subject, else with that verified address; else say why not."""
        claims, issuer = sociallogin.account.extra_data["id_token"], settings.OIDC_ISSUER.rstrip("/")
        linked = Person.objects.filter(oidc_issuer=issuer, oidc_subject=claims["sub"]).first()
        person = linked or self._with_address(request, claims, issuer)
        if not Person.objects.signing_in().filter(pk=person.pk).exists():
            raise _no_account(request, person.email)
        who = {"issuer": issuer, "uid": claims["sub"]}
        record_authentication(request, person, method="socialaccount", provider=PROVIDER, **who)
        onward = sociallogin.state.get("next")
        raise ImmediateHttpResponse(perform_login(request, person, redirect_url=onward))

    def _with_address(self, request: HttpRequest, claims: dict[str, Any], issuer: str) -> Person:
        """The person with the verified address, whose account is linked to nobody at this issuer yet."""
        email = str(claims.get("email") or "").strip().lower()
        verified = claims.get("email_verified")
        if not email or not (verified is True or verified == "true"):
            raise _not_in(request, _("Its e-mail address is not verified there. Sign in by password."))
        person = Person.objects.filter(email=email).first()
        if person is None:
            raise _no_account(request, email)
        if person.oidc_subject and person.oidc_issuer == issuer:
            says = _(
                "The account of %(email)s here is linked to somebody else at %(name)s. If it is yours, sign in by "
                "password, or ask an admin to unlink it (manage.py unlink_account)."
            )
            raise _not_in(request, says % {"email": email, "name": settings.OIDC_NAME})
        return person

    def on_authentication_error(self, request: HttpRequest, *_given: Any, **how: Any) -> None:
        """A refusal by the provider, a foreign state or token, or no answer."""
        logger.warning("sign-in outside failed: %s", how.get("exception") or how.get("error"))
        says = _("Signing in with %(name)s did not work. Try again, or sign in by password.")
        raise _not_in(request, says % {"name": settings.OIDC_NAME})


@require("anyone")
def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    onward = next_page(request)
    if request.user.is_authenticated:
        return redirect(onward)
    limited(request, "outside", "20/m/ip")
    state = secrets.token_urlsafe(24)
    try:
        provider = Outside(request, provider_id).get_provider()
        provider.oauth2_adapter_class = Outside
        asked = {"nonce": derive_nonce(state)}
        return provider.redirect(request, "login", next_url=onward, auth_params=asked, state_id=state)
    except FAULTS as fault:
        return _went_wrong(request, fault)


@require("anyone")
def come_back(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Handle the provider's answer, with which the browser returns."""
    if request.user.is_authenticated:
        return redirect("home")
    limited(request, "outside", "20/m/ip")
    try:
        return OAuth2CallbackView.adapter_view(Outside(request, provider_id))(request)
    except FAULTS as fault:
        return _went_wrong(request, fault)


def derive_nonce(state: str) -> str:
    """The nonce that the token must repeat: made from the state, which belongs to the browser and works once."""
    return salted_hmac("evalsite.oidc.nonce", state, algorithm="sha256").hexdigest()


def _went_wrong(request: HttpRequest, fault: Exception) -> HttpResponse:
    logger.warning("sign-in outside failed: %s", type(fault).__name__)
    says = _("%(name)s does not answer as it should. Try again in a minute, or sign in by password.")
    return _sign_in_page(request, says % {"name": settings.OIDC_NAME}, 503)


def _not_in(request: HttpRequest, sentence: str) -> ImmediateHttpResponse:
    return ImmediateHttpResponse(_sign_in_page(request, sentence, 403))


def _no_account(request: HttpRequest, email: str) -> ImmediateHttpResponse:
    says = _("There is no account here for %(email)s that may sign in. Ask a team lead or an admin.")
    return _not_in(request, says % {"email": email})


def _sign_in_page(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    context = {"form": SignInForm(request=request), "note": sentence, "done": "", **sign_in_methods()}
    context["redirect_field_value"] = ""
    return render(request, "workspace/authentication/sign_in.html", context, status=status)
