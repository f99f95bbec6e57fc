"""The one list of the home page: what waits for a person, what comes next first; and the person's week."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.home.pages.dashboard import list_acts, list_verdict_acts, say_number
from discussions.models import Evaluation, QueueRule
from discussions.models.slots import CALIBRATION
from discussions.queue.core import active_minutes
from discussions.queue.queries import (
    list_in_order,
    load_times,
    next_draw,
    query_submitted_since,
    start_of_day,
)
from rubric.human_reviewers.queries.waiting import Waiting, WaitingSet
from workspace.models import Membership, Person, Project

Work = dict[str, Any]


class HomeLine(NamedTuple):
    """One thing to do. `name` stands in the list, `heading` on top of the page; `act` is short for `label`.

    A `post` line is sent as a form. `minutes` is 0 where nobody can tell, `quote` what a lead wrote.
    """

    name: str
    heading: str
    act: str
    label: str
    link: str
    place: str
    why: str = ""
    minutes: int = 0
    is_post: bool = False
    quote: str = ""

    @property
    def about(self) -> str:
        return ngettext("about %(n)d minute", "about %(n)d minutes", self.minutes) % {"n": self.minutes}


def list_lines(
    page: Work, *, person: Person, reviewed: list[WaitingSet], held: list[Membership]
) -> list[HomeLine]:
    """Everything that waits. What is begun comes first, then decisions of leads, next games, reviews, and the rest.

    After a submission the next game of the same project comes first. The size of a next game is looked up only where
    it is the first line.
    """
    week, works = page["week"], page["projects"]
    begun = [_list_begun(evaluation, week) for evaluation in page["returned"] + page["started"]]
    leading = sorted(
        (work for work in works if work["role"] != "evaluator"), key=lambda work: not work["to_do"].undecided
    )
    led = [line for work in leading for line in _list_led(work)]
    rating = [work for work in works if work["role"] == "evaluator"]
    ended = page["submission"]["evaluation"].game.project_id if page["submission"] else 0
    ready = sorted(
        (work for work in rating if work["has_next"]),
        key=lambda work: (work["project"].pk != ended, not work["kept"]),
    )
    is_same = bool(ready) and ready[0]["project"].pk == ended
    ties = [_describe_ties(work) for work in rating if work["tie_count"]]
    is_top = is_same or not begun + led + ties
    games = [
        _describe_next(work, week, person, held if is_top and not at else []) for at, work in enumerate(ready)
    ]
    others = [line for work in rating for line in _list_others(work)]
    reviews = [line for found in reviewed if (line := _describe_review(found))]
    aside = [_list_aside(evaluation, week) for evaluation in page["aside"]]
    first, rest = (games[:1], games[1:]) if is_same else ([], games)
    return [*first, *begun, *led, *ties, *rest, *reviews, *others, *aside]


def _describe_ties(work: Work) -> HomeLine:
    """The ties of a project that the person answers as the third evaluator."""
    n = work["tie_count"]
    says = ngettext("%(n)s tie to answer", "%(n)s ties to answer", n) % {"n": say_number(n)}
    why, label = _("evaluators differ"), _("Answer the ties")
    return HomeLine(says, says, _("Start"), label, reverse("ties"), work["project"].name, why=why)


def _list_begun(evaluation: Evaluation, week: Work) -> HomeLine:
    n, values = evaluation.game_number, {"n": evaluation.game_number}
    line = HomeLine(
        name=_("Game %(n)d") % values,
        heading=_("Game %(n)d is under way") % values,
        act=_("Continue"),
        label=_("Continue game %(n)d") % values,
        link=reverse("rate", args=[evaluation.pk]),
        place=evaluation.game.project.name,
        why=_tell_lease(evaluation.minutes, evaluation.judged),  # type: ignore[attr-defined]
        minutes=guess_minutes(week, evaluation.game.message_count),
    )
    if evaluation.purpose == CALIBRATION:
        return line._replace(
            name=_("Calibration game %(n)d") % values,
            heading=_("Calibration game %(n)d is under way") % values,
            label=_("Continue the calibration"),
        )
    if not evaluation.is_returned:
        return line
    return line._replace(
        heading=_("Game %(n)d came back to you") % {"n": n},
        why=_("a lead returned it"),
        minutes=0,
        quote=evaluation.returned_comment,
    )


def _tell_lease(minutes: int | None, judged: int) -> str:
    if minutes == 0:
        return _("the reservation ended; continue before somebody else takes it")
    done = ngettext("%(n)d judgement", "%(n)d judgements", judged) % {"n": judged}
    if minutes is None:
        return done
    return _("%(done)s, reserved for %(n)d min") % {"done": done, "n": minutes}


def _list_led(work: Work) -> list[HomeLine]:
    """What a lead decides, as the overview of the project has it."""
    return [_tell_act(work["project"], act) for act in list_acts(work["project"].slug, work["to_do"])]


def _tell_act(project: Project, act: Mapping[str, str]) -> HomeLine:
    says = act["says"]
    return HomeLine(says, says, act["short"], act["label"], act["url"], project.name, why=act["why"])


def _act(project: Project, view: str, *args: object, **given: Any) -> HomeLine:
    return HomeLine(link=reverse(view, args=[project.slug, *args]), place=project.name, **given)


def _describe_next(work: Work, week: Work, person: Person, held: list[Membership]) -> HomeLine:
    """The next game of a project: an assigned one by its number, else of the size that the draw gives."""
    project: Project = work["project"]
    calibration = work["calibration"]
    line = _act(
        project,
        "next_game",
        name=_("Next game"),
        heading=_("Your next game is ready"),
        act=_("Start"),
        label=_("Start the next game"),
        why=_tell_free(work["free_count"]),
        is_post=True,
    )
    if calibration is not None and calibration.comes_first:
        return line._replace(
            name=_("Calibration game"),
            heading=_("Calibration comes first"),
            label=_("Start the calibration game"),
            why=_tell_calibration(calibration),
        )
    if work["kept"]:
        number, by, count = work["kept"][0]
        values = {"n": number, "by": by, "count": count}
        return line._replace(
            name=_("Game %(n)d") % values,
            heading=_("Game %(n)d is assigned to you") % values,
            label=_("Start game %(n)d") % values,
            why=_("%(by)s assigned it to you") % values,
            minutes=guess_minutes(week, count),
        )
    size = find_next_size(person, project, held)
    if not size:
        return line
    heading = ngettext("Your next game has %(n)d message", "Your next game has %(n)d messages", size)
    return line._replace(heading=heading % {"n": size}, minutes=guess_minutes(week, size))


def find_next_size(person: Person, project: Project, held: list[Membership]) -> int:
    """The messages of the game that the queue would give next; `held` are the person's memberships and what is known.

    0 where there is none, and in a project with hidden duplicates: a size that does not come true would reveal one.
    """
    own = [row for row in held if row.project_id == project.pk]
    rule = getattr(own[0].project, "queue_rule", None) or QueueRule(project=project) if own else None
    if rule is None or rule.repeat_percent:
        return 0
    draw = next_draw(rule, person, own[0].picks)  # type: ignore[attr-defined]
    barred = None if any(row.ended_at for row in own) else 0
    first = next(list_in_order(draw, project, person, rule, barred=barred), None)
    return first.message_count if first is not None and first.measured is not None else 0


def _tell_free(count: int) -> str:
    says = ngettext("%(n)s game is open for you", "%(n)s games are open for you", count)
    return says % {"n": say_number(count)} if count else ""


def _tell_calibration(own: Any) -> str:
    values = {"done": own.done, "all": own.of_games}
    if own.round.is_required:
        return _("required before other games, %(done)d of %(all)d done") % values
    return _("optional, %(done)d of %(all)d done") % values


def _list_others(work: Work) -> Iterator[HomeLine]:
    """An evaluator's own verdicts, answered flags, and an optional calibration."""
    own, project = work["calibration"], work["project"]
    for act in list_verdict_acts(project.slug, work["to_do"].ready):
        yield _tell_act(project, act)
    if n := work["to_do"].flags:
        says = ngettext("%(n)d of your flags is answered", "%(n)d of your flags are answered", n) % {"n": n}
        yield _act(project, "flags", name=says, heading=says, act=_("Read"), label=_("Read the answers"))
    if own is not None and own.is_offered:
        yield _act(
            project,
            "take_calibration",
            own.round.number,
            name=_("Calibration game"),
            heading=_("Calibration, optional"),
            act=_("Start"),
            label=_("Start the calibration game"),
            why=_tell_calibration(own),
            is_post=True,
        )
    if own is not None and own.passes is False and own.last:
        yield HomeLine(
            name=_("Calibration"),
            heading=_("Calibration not passed yet"),
            act=_("Read"),
            label=_("Read the feedback of the calibration"),
            link=reverse("calibration_feedback", args=[own.last]),
            place=project.name,
            why=own.why_not or _("not passed yet"),
        )


def _describe_review(found: WaitingSet) -> HomeLine | None:
    """The next comparison of a set; a second round only when nothing else of the set waits."""
    if not found.waiting:
        return None
    one: Waiting = found.waiting[0]
    n, left = one.number, found.waiting_count
    line = HomeLine(
        name=_("Next comparison"),
        heading=_("Your next comparison is ready"),
        act=_("Start"),
        label=_("Review the next comparison"),
        link=reverse("next_review", args=[one.set]),
        place=one.set_name,
        why=ngettext("%(n)d to review", "%(n)d to review", left) % {"n": left},
        is_post=True,
    )
    if one.is_second:
        line = line._replace(
            name=_("Second round of comparison %(n)d") % {"n": n},
            heading=_("The second round of comparison %(n)d is open") % {"n": n},
            label=_("Start the second round"),
            link=reverse("begin_review", args=[one.comparison]),
            why=_("all others have reviewed it"),
        )
    if one.is_started:
        line = line._replace(
            name=line.name if one.is_second else _("Comparison %(n)d") % {"n": n},
            heading=_("Comparison %(n)d is under way") % {"n": n},
            act=_("Continue"),
            label=_("Continue comparison %(n)d") % {"n": n},
            why=_("you have started it"),
        )
    return line


def _list_aside(evaluation: Evaluation, week: Work) -> HomeLine:
    """A game that was skipped, released by a lead, or whose reservation ended."""
    values = {"n": evaluation.game_number}
    why = _("reservation ended")
    if evaluation.state == "skipped":
        why = _("skipped")
    elif evaluation.released_reason:
        why = _("released by a lead")
    if reason := evaluation.skipped_reason if evaluation.state == "skipped" else evaluation.released_reason:
        why = f"{why}: {reason}"
    return HomeLine(
        name=_("Game %(n)d, paused") % values,
        heading=_("Game %(n)d is paused") % values,
        act=_("Resume"),
        label=_("Resume game %(n)d") % values,
        link=reverse("return_to_game", args=[evaluation.pk]),
        place=evaluation.game.project.name,
        why=why,
        minutes=guess_minutes(week, evaluation.game.message_count),
        is_post=True,
        quote=evaluation.returned_comment,
    )


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
