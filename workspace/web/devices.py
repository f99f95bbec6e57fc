"""Computers on which an account has signed in, told by a cookie: others who fail cannot lock the account out there.

As OWASP describes it: https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
"""

from secrets import token_urlsafe

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from workspace.models import Person

SALT = "evalsite.device"


def known_device(request: HttpRequest, email: str) -> str | None:
    """The number of this computer, when the account with this address (in small letters) signed in on it last."""
    try:
        said = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""),
            salt=SALT,
            max_age=settings.DEVICE_COOKIE_AGE,
        )
    except signing.BadSignature:
        return None
    return str(said["device"]) if said["email"] == email else None


def remember_device(request: HttpRequest, response: HttpResponseBase, person: Person) -> None:
    """Let the computer be known, under the number that it has, for so long as settings.DEVICE_COOKIE_AGE says."""
    email = person.email.lower()
    said = {"email": email, "device": known_device(request, email) or token_urlsafe(16)}
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps(said, salt=SALT),
        max_age=settings.DEVICE_COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
