"""What the pages of reliability share: the state of the stored statistics of a project, and pages of a long list."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from discussions.models import TeamFigures
from discussions.reliability.queries import TEAM_STATISTICS
from workspace.models import Person, Project
from workspace.stored_statistics.pages import read_state

SECTION = "team"
ItemT = TypeVar("ItemT")
KIND_NAMES = {
    "accuracy": gettext_lazy("Accuracy of automatic metrics"),
    "agreement": gettext_lazy("Agreement"),
}
SINCE = (
    gettext_lazy(
        "The figures there are come from other evaluations or an earlier way of computing, so they are not shown."
    ),
    ngettext_lazy(
        "%(n)d evaluation was submitted since the figures were computed, so they are not shown.",
        "%(n)d evaluations were submitted since the figures were computed, so they are not shown.",
        "n",
    ),
)


def build_team_state(
    *, project: Project, kind: str, now: datetime
) -> tuple[dict[str, object], TeamFigures | None]:
    """The state of the statistics of a kind, which also names their page, and their row if it is current."""
    return read_state(store=TEAM_STATISTICS, owner=project, kind=kind, names=KIND_NAMES, since=SINCE, now=now)


def load_names(people: set[int]) -> dict[int, str]:
    return dict(Person.objects.filter(pk__in=people).values_list("pk", "name"))


def turn_pages(
    items: Sequence[ItemT], start: int, size: int, url_from: Callable[[int], str]
) -> tuple[Sequence[ItemT], dict[str, str]]:
    """The items of one page from number `start` on, and the context of its pager; Http404 when there are none."""
    listed = items[start - 1 : start - 1 + size]
    if not listed:
        raise Http404
    last = start + len(listed) - 1
    return listed, {
        "previous_url": url_from(max(1, start - size)) if start > 1 else "",
        "next_url": url_from(last + 1) if last < len(items) else "",
        "says": _("%(first)d to %(last)d of %(count)d") % {"first": start, "last": last, "count": len(items)},
    }
