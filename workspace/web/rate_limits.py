"""How often something may be asked for, counted where allauth counts tries to sign in: in rows, for all processes."""

from allauth.core.internal.ratelimit import consume
from django.http import HttpRequest
from django.utils.translation import gettext as _

from workspace.core.refusals import TooOften


def limited(request: HttpRequest, what: str, rate: str) -> None:
    """Count one request; raise TooOften (429) when it is one too many.

    `rate` is count, time and whose, such as "20/h/user" or "20/m/ip"; the address is the connection's own.
    """
    if not consume(request, app="evalsite", action=what, config={what: rate}, limit_get=True):
        raise TooOften(_("That was asked for too often. Wait a few minutes, then try again."))
