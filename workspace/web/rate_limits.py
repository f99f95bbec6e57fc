"""How often something may be asked for, counted where allauth counts tries to sign in: in rows, for all processes."""

from datetime import datetime, timedelta

from allauth.core.internal.ratelimit import consume
from django.http import HttpRequest
from django.utils.translation import gettext as _

from workspace.core.refusals import TooOften
from workspace.models import Counter


def limited(request: HttpRequest, what: str, rate: str) -> None:
    """Count one request; raise TooOften (429) when it is one too many.

    `rate` is count, time and whose, such as "20/h/user" or "20/m/ip"; the address is the connection's own.
    """
    if not consume(request, app="evalsite", action=what, config={what: rate}, limit_get=True):
        raise TooOften(_("That was asked for too often. Wait a few minutes, then try again."))


def limit_window(what: str, *, most: int, seconds: int, now: datetime) -> None:
    """Count one more of `what` in the present window of so many seconds; TooOften (429) when it is one too many.

    One statement, so that it costs little with every request of a program.
    """
    passed = int(now.timestamp()) % seconds
    end = now + timedelta(seconds=seconds - passed)
    if Counter.objects.count_up(f"window:{what}:{int(now.timestamp()) // seconds}", until=end) > most:
        says = _("More than %(most)d requests in %(seconds)d seconds. Wait, then continue.")
        raise TooOften(says % {"most": most, "seconds": seconds}, retry_after=seconds - passed)
