"""Computers on which an account has signed in, known by a cookie: failures elsewhere cannot lock the account there.

As OWASP describes it: https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
"""

from secrets import token_urlsafe

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from workspace.models import Person

SALT = "evalsite.device"


def known_device(request: HttpRequest, email: str) -> str | None:
    """The number of this computer, if the account with this address (in lower case) was the last to sign in on it."""
    try:
        remembered = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""),
            salt=SALT,
            max_age=settings.DEVICE_COOKIE_AGE,
        )
    except signing.BadSignature:
        return None
    return str(remembered["device"]) if remembered["email"] == email else None


def remember_device(request: HttpRequest, response: HttpResponseBase, person: Person) -> None:
    """Remember the computer, under its present number, for settings.DEVICE_COOKIE_AGE."""
    email = person.email.lower()
    remembered = {"email": email, "device": known_device(request, email) or token_urlsafe(16)}
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps(remembered, salt=SALT),
        max_age=settings.DEVICE_COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
