"""How often something may be requested, counted where allauth counts sign-in attempts: in rows, for all processes."""

from datetime import datetime, timedelta
from math import ceil

from allauth.core.internal.ratelimit import consume
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from workspace.core.refusals import TooOften
from workspace.models import Counter

EXPORTS, UPLOADS, COMPUTATIONS, SEARCHES = "exports", "uploads", "computations", "searches"
KIB_IN_MB = 1024
# Parameters of addresses that search in texts.
SEARCHED = ("q", "who")
LIMITED = {
    EXPORTS: gettext_lazy("Nothing was exported: the limit of exports is %(most)s an hour for one person."),
    UPLOADS: gettext_lazy("Nothing was stored: the limit of uploads is %(most)s MB an hour for one person."),
    COMPUTATIONS: gettext_lazy(
        "Nothing was started: the limit of computations is %(most)s an hour for one person. Measuring again, previews "
        "and calls of models are such."
    ),
    SEARCHES: gettext_lazy(
        "Nothing was looked for: the limit of searches is %(most)s a minute for one person."
    ),
}


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


def limit_costly(request: HttpRequest, what: str, size: int) -> None:
    """Count an expensive operation of the person, all their programs together; TooOften (429) beyond the limit.

    Exports, uploads and computations are requests that send something; uploads count by the `size` (bytes) that was
    announced. Searches are requests whose address has a search text. The limits are settings.COSTLY_LIMITS: how many,
    in how many seconds. Refused requests do not count. A single upload over the limit is accepted if it is the first of
    its hour.
    """
    cost = _cost(request, what, size)
    if not cost:
        return
    most, seconds = settings.COSTLY_LIMITS[what]
    most_counted = most * KIB_IN_MB if what == UPLOADS else most
    now = timezone.now()
    window, passed = divmod(int(now.timestamp()), seconds)
    left = seconds - passed
    key, end = f"{what}:{request.user.pk}:{window}", now + timedelta(seconds=left)
    total = Counter.objects.count_up(key, until=end, by=cost)
    if total > most_counted and total > cost:
        Counter.objects.count_up(key, until=end, by=-cost)
        minutes = ceil(left / 60)
        again = ngettext(
            "It works again at %(time)s, in %(n)d minute at most.",
            "It works again at %(time)s, in %(n)d minutes at most.",
            minutes,
        ) % {"time": f"{timezone.localtime(end):%H:%M}", "n": minutes}
        says = f"{LIMITED[what] % {'most': f'{most:,}'}} {again}"
        raise TooOften(says, code=f"too_many_{what}", retry_after=left)


def _cost(request: HttpRequest, what: str, size: int) -> int:
    if what == SEARCHES:
        return int(any(request.GET.get(name, "").strip() for name in SEARCHED))
    if request.method in ("GET", "HEAD"):
        return 0
    return ceil(size / 1024) if what == UPLOADS else 1
