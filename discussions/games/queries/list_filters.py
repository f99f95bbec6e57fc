"""Which games of a project the list shows: an allow-list of filters, each a condition of one query."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache, reduce
from operator import and_, or_
from typing import Annotated, Any, Literal, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.http import urlencode
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _
from msgspec import Meta, Struct, structs

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.models import Adjudication, Evaluation, Game, Judgement, Remark, Slot, Verdict
from discussions.models.games import NEEDED
from discussions.models.slots import RATING
from discussions.queries import measured_for
from discussions.slots.queries import left_out
from discussions.transcripts.core.oddities import ODDITY_CODES

MEASURING, WAITING, RATED, COMPLETE, RECORDED = "measuring", "waiting", "rating", "submitted", "verdict"
LEFT_OUT = "left_out"
PASSED, FAILED, WEAK = "pass", "fail", "weak"
NOT_APPLICABLE, ANY_WEAK = "na", "any"
DIFFER, UNRESOLVED, RESOLVED = "differ", "unresolved", "resolved"
YES = "yes"
LONGEST_SEARCH, MOST_WORDS = 200, 6

STATUSES = {
    MEASURING: _("being measured"),
    WAITING: _("to rate"),
    RATED: _("being rated"),
    COMPLETE: _("to record"),
    RECORDED: _("recorded"),
    LEFT_OUT: _("not in the queue"),
}
# The values of `state` that programs and older URLs use.
STATES = STATUSES | {
    PASSED: _("verdict PASS"),
    FAILED: _("verdict FAIL"),
    WEAK: _("verdict with a weak pass"),
}
VERDICTS = {PASSED: _("PASS"), FAILED: _("FAIL")}
WEAK_PASSES = {
    NOT_APPLICABLE: _("not applicable (counts as pass)"),
    ANY_WEAK: _("not applicable, or few references"),
}
AGREEMENTS = {
    UNRESOLVED: _("evaluators differ, no verdict yet"),
    DIFFER: _("evaluators differ"),
    RESOLVED: _("disagreement resolved by a lead"),
}


State = Literal[("", *STATES)]  # type: ignore[valid-type]
Verdicts = Literal[("", *VERDICTS)]  # type: ignore[valid-type]
Agreement = Literal[("", *AGREEMENTS)]  # type: ignore[valid-type]
Weak = Literal[("", *WEAK_PASSES)]  # type: ignore[valid-type]
Ticked = Literal["", "yes"]
Key = Annotated[int, Meta(ge=0, lt=10**15)]


class ListFilter(Struct, frozen=True, kw_only=True):
    """The requested filters, from the allow-lists; "", 0 and None mean unset. `evaluator` is the key of a person."""

    q: Annotated[str, Meta(max_length=LONGEST_SEARCH, pattern=r"\A[^\0]*\Z")] = ""
    state: State = ""
    verdict: Verdicts = ""
    iteration: Key = 0
    evaluator: Key = 0
    flag: Ticked = ""
    since: date | None = None
    until: date | None = None
    agreement: Agreement = ""
    weak: Weak = ""
    odd: Ticked = ""

    @property
    def active(self) -> dict[str, object]:
        names = ListFilter.__struct_fields__
        return {name: value for name in names if (value := getattr(self, name))}

    def change(self, **changed: object) -> str:
        """The query of the list's URL with these changes; it has a cursor only if one is among them."""
        asked = {
            name: value
            for name, default in _get_defaults(type(self)).items()
            if (value := getattr(self, name)) != default
        }
        return urlencode({name: value for name, value in (asked | changed).items() if value})


@cache
def _get_defaults(kind: type[ListFilter]) -> dict[str, object]:
    fields = structs.fields(kind)
    return {field.name: field.default for field in fields if field.name not in ("after", "before", "most")}


class GameRow(NamedTuple):
    pk: int
    number: int
    iteration_id: int
    message_count: int
    paid_usd: Decimal | None
    withdrawn_at: datetime | None
    needed_count: int | None
    source_id: str
    created_at: datetime
    transcript__name: str
    queue_draw__is_in: bool | None


# The fields of a filter that are values; the others decide which conditions there are.
VALUE_FIELDS = ("iteration", "evaluator", "since", "until")


def read_values(wanted: ListFilter) -> dict[str, Any]:
    """The values that the filter compares with, by name: those of `VALUE_FIELDS`, and words of the search as "word0".

    Every word must occur in the game's id, file or players; a number may also be the game's own number.
    """
    values: dict[str, Any] = {
        name: value for name in ("iteration", "evaluator") if (value := getattr(wanted, name))
    }
    if wanted.since:
        values["since"] = _midnight(wanted.since)
    if wanted.until:
        values["until"] = _midnight(wanted.until + timedelta(days=1))
    words = wanted.q[:LONGEST_SEARCH].casefold().split()[:MOST_WORDS]
    values |= {f"word{index}": word for index, word in enumerate(words)}
    number = wanted.q.strip().removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) <= 9:
        values["number"] = int(number)
    return values


def filter_games(project: int, wanted: ListFilter, values: Mapping[str, Any]) -> "QuerySet[Game]":
    """The requested games of the project, unordered; `values` come from `read_values`."""
    # Erased games have no text, by which a search leaves them out in the index.
    there = Game.with_erased if "word0" in values else Game.objects
    games = _by_state(there.filter(project=project), wanted.state)
    searched = reduce(
        and_, (Q(search_text__contains=values[name]) for name in values if name[:4] == "word"), Q()
    )
    if "number" in values:
        searched |= Q(number=values["number"]) & ~Q(search_text="")
    games = games.filter(searched)
    if "iteration" in values:
        games = games.filter(iteration=values["iteration"])
    if "since" in values:
        games = games.filter(created_at__gte=values["since"])
    if "until" in values:
        games = games.filter(created_at__lt=values["until"])
    if wanted.odd:
        named = (Q(warnings__contains=f'"{code}"') for code in sorted(ODDITY_CODES))
        games = games.filter(reduce(or_, named), warning_count__gt=0)
    return _by_people(_by_verdict(games, wanted), project, wanted, values.get("evaluator"))


def _midnight(day: date) -> datetime:
    return make_aware(datetime.combine(day, time()))


def _by_verdict(games: "QuerySet[Game]", wanted: ListFilter) -> "QuerySet[Game]":
    if not (wanted.verdict or wanted.weak):
        return games
    verdicts = Verdict.objects.filter(game=OuterRef("pk")).not_superseded()
    if wanted.verdict:
        verdicts = verdicts.filter(passes=wanted.verdict == PASSED)
    if wanted.weak:
        verdicts = verdicts.filter(weak_pass_count__gt=0)
    if wanted.weak == NOT_APPLICABLE:
        # Applicable lines leave the field out.
        verdicts = verdicts.filter(outcome__contains='"is_applicable":false')
    return games.filter(Exists(verdicts))


def _by_people(
    games: "QuerySet[Game]", project: int, wanted: ListFilter, evaluator: int | None
) -> "QuerySet[Game]":
    evaluations = Evaluation.objects.filter(game=OuterRef("pk"), purpose=RATING)
    if evaluator:
        assigned = Slot.objects.filter(game=OuterRef("pk"), purpose=RATING, is_closed=False)
        games = games.filter(
            Exists(evaluations.filter(evaluator=evaluator)) | Exists(assigned.filter(assigned_to=evaluator))
        )
    if wanted.flag:
        flags = Remark.objects.filter(evaluation__game=OuterRef("pk"), kind="flag", resolved_at=None)
        games = games.filter(Exists(flags))
    if wanted.agreement == RESOLVED:
        return games.filter(Exists(Adjudication.objects.not_superseded().filter(game=OuterRef("pk"))))
    if wanted.agreement:
        rows = Evaluation.objects.submitted_ratings().filter(game__project=project).order_by()
        several = rows.values("game").annotate(number=Count("pk")).filter(number__gte=2)
        games = games.filter(pk__in=several.values("game")).filter(Exists(_differing()))
    if wanted.agreement == UNRESOLVED:
        games = games.filter(~Exists(Verdict.objects.filter(game=OuterRef("pk"))))
    return games


def _differing() -> "QuerySet[Judgement]":
    submitted = {"evaluation__purpose": RATING, "evaluation__state": SUBMITTED}
    others = Judgement.objects.filter(
        evaluation__game=OuterRef("evaluation__game"),
        kind=OuterRef("kind"),
        subject=OuterRef("subject"),
        **submitted,
    ).exclude(value__in=["", OuterRef("value")])
    rows = Judgement.objects.filter(evaluation__game=OuterRef("pk"), **submitted)
    return rows.counting().exclude(value="").filter(Exists(others))


def _by_state(games: "QuerySet[Game]", state: str) -> "QuerySet[Game]":
    if not state:
        return games
    verdicts = Verdict.objects.filter(game=OuterRef("pk"))
    if state == RECORDED:
        return games.filter(Exists(verdicts))
    if state in VERDICTS:
        return games.filter(Exists(verdicts.not_superseded().filter(passes=state == PASSED)))
    if state == WEAK:
        return games.filter(Exists(verdicts.not_superseded().filter(weak_pass_count__gt=0)))
    return _without_verdict(games.filter(~Exists(verdicts)), state)


def _without_verdict(games: "QuerySet[Game]", state: str) -> "QuerySet[Game]":
    measured = Exists(measured_for())
    if state == MEASURING:
        return games.filter(~measured)
    evaluations = Evaluation.objects.filter(game=OuterRef("pk"), purpose=RATING)
    submitted = evaluations.filter(state=SUBMITTED).order_by().values("game")
    count = Coalesce(Subquery(submitted.annotate(number=Count("pk")).values("number")), 0)
    games = games.annotate(submitted_count=count)
    if state == COMPLETE:
        return games.filter(submitted_count__gte=NEEDED)
    games = games.filter(measured, submitted_count__lt=NEEDED)
    is_open = Exists(evaluations.filter(state__in=OPEN))
    if state == RATED:
        return games.filter(is_open)
    return games.filter(~is_open, left_out() if state == LEFT_OUT else ~left_out())
