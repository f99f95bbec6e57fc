"""What a person submitted on each of the last seven days, and how long their games take them."""

from collections import Counter
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any

from django.utils import timezone

from discussions.queue.core import active_minutes
from discussions.queue.queries import load_times, query_submitted_since, start_of_day
from workspace.models import Person, Project

DAYS, MOST_TIMED = 7, 20
# Eight seconds a message, while a person has no pace of their own.
MINUTES_PER_100 = 13.0


def load_week(person: Person, now: datetime, only: Project | None = None) -> dict[str, Any]:
    """`days` are (date, games submitted), today last; `count` and `minutes` are of today, `per_100` is for messages.

    Pauses are left out; of many games only the newest are timed. Two queries, one for a person without games.
    """
    today = timezone.localdate(now)
    first = start_of_day(now - timedelta(days=DAYS - 1))
    rows = query_submitted_since(person, first).order_by("-submitted_at", "-pk")
    done = list(rows.values_list("pk", "created_at", "submitted_at", "game__message_count", "game__project"))
    spans = {key: (taken, submitted) for key, taken, submitted, *_game in done[:MOST_TIMED] if submitted}
    times = load_times(spans)
    minutes = {key: found for key, moments in times.items() if (found := active_minutes(moments)) is not None}
    paces = [
        100 * minutes[key] / count for key, _taken, _at, count, _project in done if count and key in minutes
    ]
    # The pace is a person's own in all projects.
    on = {
        key: timezone.localdate(submitted)
        for key, _taken, submitted, _count, project in done
        if only is None or project == only.pk
    }
    counts: Counter[date] = Counter(on.values())
    days = [today - timedelta(days=DAYS - 1 - at) for at in range(DAYS)]
    return {
        "days": [(day, counts[day]) for day in days],
        "most": max(counts.values(), default=0),
        "count": counts[today],
        "minutes": round(sum(spent for key, spent in minutes.items() if on.get(key) == today)),
        "per_100": median(paces) if paces else MINUTES_PER_100,
    }


def guess_minutes(week: dict[str, Any], message_count: int) -> int:
    """About how long a game with so many messages takes."""
    return max(1, round(message_count * week["per_100"] / 100))
