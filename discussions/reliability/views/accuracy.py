"""The page of accuracy: how accurate the automatic findings are, the cases behind its cells, and asking for figures."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.core.records import GameRecord
from discussions.games.core import find_start
from discussions.metrics.labels import LABELS
from discussions.models import TeamFigures
from discussions.reliability import labels
from discussions.reliability.actions import ask_for_team_figures
from discussions.reliability.core.accuracy import (
    APART,
    AWAY,
    ELSEWHERE,
    PRECISION,
    SAMPLED,
    STAYED,
    TO_MACHINE,
    TOGETHER,
    TOWARD,
    AccuracyFigures,
    Anchoring,
    MetricTurns,
    VersionAccuracy,
)
from discussions.reliability.core.crosstab import Crosstab, CrosstabCell, Interval, Rate
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import KINDS, game_texts
from discussions.reliability.views.engagement import SECTION, build_team_state, load_names, turn_pages
from rubric.models import RubricVersion
from workspace.core.limits import PAGE_SIZE
from workspace.core.refusals import Malformed
from workspace.core.text import figure, format_signed
from workspace.core.words import decode_stored
from workspace.display.core.charts import IntervalsChart, interval_plot
from workspace.models import Project
from workspace.statistics.labels import figure_row
from workspace.statistics.means import wilson
from workspace.web.bind_form import bind_form, parse_number, project_or_404
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

KIND = "accuracy"


class TeamKindForm(forms.Form):
    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])


@require("see_team_figures")
def accuracy(request: SignedIn, slug: str) -> HttpResponse:
    version = only_parameters(request, "version")["version"]
    project = project_or_404(request.user, slug, check_see_team_statistics)
    context = {**_accuracy_context(project, version), **frame(request.user, project, SECTION)}
    return respond(
        request,
        page="discussions/reliability/accuracy.html",
        region="discussions/reliability/_accuracy_figures.html",
        context=context,
    )


@require("see_team_figures")
def accuracy_cases(request: SignedIn, slug: str) -> HttpResponse:
    """The cases of a cell; redirects to the accuracy page while its statistics are missing."""
    wanted = only_parameters(request, "version", "table", "row", "column", "from")
    project = project_or_404(request.user, slug, check_see_team_statistics)
    _state, row = build_team_state(project=project, kind=KIND, now=timezone.now())
    if row is None:
        return redirect("accuracy", slug=slug)
    context = {**_cases_context(project, row, wanted), **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/reliability/accuracy_cases.html", context=context)


@require("see_team_figures", methods=("POST",))
def figure_team(request: SignedIn, slug: str) -> HttpResponse:
    """Queue the missing statistics; redirects to the page that asked."""
    project = project_or_404(request.user, slug, check_see_team_statistics)
    form = bind_form(request, TeamKindForm)
    if not form.is_valid():
        raise Malformed(_("The form does not say which figures it is about. Reload the page and try again."))
    ask_for_team_figures(project=project, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse(form.cleaned_data["kind"], args=[slug]))


def _accuracy_context(project: Project, key: str) -> dict[str, object]:
    """The page of a project under the version of that key, or the newest if it is ""; at most eight queries.

    Http404 for an unknown version; without figures, their state alone. `names` are the names of versions, by key.
    """
    state, row = build_team_state(project=project, kind=KIND, now=timezone.now())
    if row is None:
        return {"state": state, "version": None}
    figures = decode_stored(row.body, AccuracyFigures)
    version = _find_version(figures, key)
    people = {person.evaluator for metric in version.anchoring for person in metric.people}
    return {
        "state": state,
        "versions": figures.versions,
        "names": _load_version_names(figures),
        "version": version,
        "basis": describe_work(version.evaluations, version.games, version.evaluators),
        "cards": [_build_card(metric, parts, version) for metric, parts in labels.CARDS.items()],
        **_conclude(version),
        "anchoring": anchoring_context(version.anchoring, load_names(people)),
    }


def _find_version(figures: AccuracyFigures, key: str) -> VersionAccuracy:
    """The figures of the version with that key, or of the newest if it is ""; Http404 when there is none."""
    for version in figures.versions:
        if key in ("", version.key):
            return version
    raise Http404


def _load_version_names(figures: AccuracyFigures) -> dict[str, str]:
    keys = {version.rubric_version for version in figures.versions}
    rubrics = {row.pk: str(row) for row in RubricVersion.objects.filter(pk__in=keys).select_related("rubric")}
    return {
        version.key: _("%(rubric)s, metrics %(code)s")
        % {"rubric": rubrics.get(version.rubric_version, ""), "code": version.code_version}
        for version in figures.versions
    }


def _build_card(key: str, parts: tuple[str, ...], version: VersionAccuracy) -> dict[str, object]:
    """A metric with its tables; empty ones are left out, except the first when all are empty.

    `turns` says how many verdicts people's estimate of it would flip; "" for a metric without an estimate.
    """
    tables = [TableOfCounts(version.table(part)) for part in parts]
    filled = [table for table in tables if not table.empty]
    turns = next((_describe_turns(turns) for turns in version.turns if turns.key == key), "")
    return {"key": key, "title": LABELS[key].title, "tables": filled or tables[:1], "turns": turns}


def _conclude(version: VersionAccuracy) -> dict[str, object]:
    """Which automatic yes is right least often, as `answer`, and the `plot` of the precision of each, lowest first."""
    rates = [
        (f"{LABELS[key].title}: {labels.HEADINGS[part]}" if len(parts) > 1 else str(LABELS[key].title), rate)
        for key, parts in labels.CARDS.items()
        for part in parts
        for rate in version.table(part).rates
        if rate.name == PRECISION and rate.value is not None
    ]
    rates.sort(key=lambda each: each[1].value or 0.0)
    known = [(label, rate) for label, rate in rates if not why_not_yet(rate)]
    answer = _("Too few answers to say how often automatic findings are right")
    if known and (share := known[0][1].value or 0.0) == 100:
        answer = _("People agree with every automatic finding that they judged")
    elif known:
        answer = _("Least often right: %(name)s, %(share)s") % {"name": known[0][0], "share": percent(share)}
    return {"answer": answer, "plot": _plot_rates(rates)}


def _describe_turns(turns: MetricTurns) -> str:
    if not turns.estimated:
        return _("No recorded verdict could be flipped by people's estimate of this metric.")
    says = ngettext(
        "By people's estimate of all messages, this metric would be on the other side of its threshold in "
        "%(turned)d of %(n)d recorded verdict, and %(verdicts)d would flip.",
        "By people's estimate of all messages, this metric would be on the other side of its threshold in "
        "%(turned)d of %(n)d recorded verdicts, and %(verdicts)d would flip.",
        turns.estimated,
    )
    return says % {"turned": turns.turned, "n": turns.estimated, "verdicts": turns.verdicts}


def _cases_context(project: Project, row: TeamFigures, wanted: Mapping[str, str]) -> dict[str, object]:
    """The cases of a cell of these figures, which may count more judgements than there are cases listed.

    Http404 if there is no such cell, or no case from that start on.
    """
    figures = decode_stored(row.body, AccuracyFigures)
    version = _find_version(figures, wanted["version"])
    title, heading, table = _find_table(version, wanted["table"])
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    cell = cells.get((wanted["row"], wanted["column"]))
    if cell is None:
        raise Http404
    counted = Counter((case.game, case.message, case.detail) for case in cell.cases)
    start = parse_number(wanted["from"]) or 1
    listed, pager = turn_pages(
        list(counted.items()), start, PAGE_SIZE, lambda at: f"?{urlencode({**wanted, 'from': at})}"
    )
    games = {game for (game, _message, _detail), _count in listed}
    rows = game_texts(game__project=project, game__number__in=games)
    texts = {number: text for _game, number, text in rows}
    return {
        "version": version,
        "version_name": _load_version_names(figures)[version.key],
        "title": title,
        "heading": heading,
        "is_moved": not heading,
        "row": labels.CELLS[cell.row],
        "column": labels.CELLS[cell.column],
        "cell": cell,
        "lines": [_build_case(*case, count, texts[case[0]]) for case, count in listed],
        **pager,
    }


def _find_table(version: VersionAccuracy, name: str) -> tuple[str, object, Crosstab]:
    """The title, the heading ("" for one of moves) and the table of that name; Http404 when there is none."""
    for anchoring in version.anchoring:
        if name == f"{MOVED}{anchoring.metric}":
            return str(labels.TITLES[anchoring.metric]), "", anchoring.table
    for key, parts in labels.CARDS.items():
        if name in parts:
            return str(LABELS[key].title), labels.HEADINGS[name], version.table(name)
    raise Http404


def _build_case(game: int, position: int, detail: str, count: int, text: GameRecord) -> dict[str, object]:
    """A message, sentence, phrase or check, and how many evaluators judged it in this way; a check has no message.

    `start` is the first message of the game's page, 0 for its beginning.
    """
    message = text.messages[position - 1] if position else None
    return {
        "game": game,
        "message": message,
        "start": find_start(position),
        "speaker": text.players[message.player - 1].name if message else "",
        "phrase": detail.partition("|")[2],
        "evaluator_count": count,
    }


# A share is not reliable when its interval is wider than this many points,
WIDEST = 30.0
# or when it has fewer answers.
FEWEST = 20
# A weighted share is shown if it differs by more points than this.
DIFFERS = 1.0
MOST_NEEDED = 1_000_000
# If there are fewer answers on either side, the shares of one person mean little.
FEW = 20
MOVED = "moved-"
MOVES = (TO_MACHINE, ELSEWHERE, AWAY, STAYED)


class RateLine:
    """A share in words. `says` is the reason if it is undefined, has no interval or is not reliable yet.

    `weighted` is the weighted share if it differs enough.
    """

    def __init__(self, part: str, rate: Rate) -> None:
        self.label, self.what = labels.OWN_RATES.get((part, rate.name)) or labels.RATES[rate.name]
        self.rate = rate
        weighted = rate.weighted if part in SAMPLED else None
        if weighted is None or rate.value is None or abs(rate.value - weighted) <= DIFFERS:
            weighted = None
        self.weighted = weighted
        reasons = [why_not_yet(rate), rate.over_games_reason]
        if not rate.denominator:
            reasons = [str(labels.NOTHING.get(rate.name, _("Undefined: nothing to count.")))]
        self.says = " ".join(filter(None, reasons))


class RowOfCounts:
    def __init__(self, table: Crosstab, row: str, columns: Sequence[str]) -> None:
        self.label = labels.CELLS[row]
        self.cells = [CrosstabCell(row, column, table.count(row, column), []) for column in columns]


class TableOfCounts:
    """A table with its shares; without answers, `empty` says why. `part` names it in the URL of its cases."""

    def __init__(self, table: Crosstab) -> None:
        self.part = table.part
        self.heading = labels.HEADINGS.get(table.part, "")
        self.says = _says(table)
        self.note = labels.NOTES.get(table.part, "")
        work = describe_work(table.evaluations, table.games, table.evaluators)
        judged = labels.JUDGED.get(table.part, labels.MESSAGES_JUDGED) % {"n": table.total}
        self.basis = _("%(judged)s: %(work)s.") % {"judged": judged, "work": work} if table.total else ""
        self.empty = "" if table.total else labels.EMPTY.get(table.part, labels.NO_SAMPLE)
        columns = _present(labels.ALWAYS_COLUMNS, table.part, {cell.column for cell in table.cells})
        rows = _present(labels.ALWAYS_ROWS, table.part, {cell.row for cell in table.cells})
        self.columns = [labels.CELLS[column] for column in columns]
        self.rows = [RowOfCounts(table, row, columns) for row in rows]
        self.lines = [RateLine(table.part, rate) for rate in table.rates]
        self.plot = _plot_rates([(str(line.label), line.rate) for line in self.lines])


class MovesLine:
    """A metric; `says` is whether people move to the automatic value, or why that is not known.

    `part` names its table in URLs.
    """

    def __init__(self, anchoring: Anchoring) -> None:
        self.label = str(labels.TITLES[anchoring.metric])
        self.part = MOVED + anchoring.metric
        self.toward, self.away = anchoring.table.rate(TOWARD), anchoring.table.rate(AWAY)
        self.index = format_signed(anchoring.index, 1)
        self.interval = _points_between(anchoring.interval)
        self.games = _points_between(anchoring.over_games)
        self.says = _describe_moves(self.toward, self.away, anchoring.over_games or anchoring.interval)
        self.rows = [RowOfCounts(anchoring.table, row, MOVES) for row in (APART, TOGETHER)]


def anchoring_context(metrics: Sequence[Anchoring], names: Mapping[int, str]) -> dict[str, object]:
    """Whether people move to the automatic value once they see it; `names` are the names of evaluators, by key.

    `lines` is empty when nothing was revealed after a blind answer. `people` are (name, metric, moves), sorted by name;
    below `few` answers on either side, moves mean little.
    """
    known = [metric for metric in metrics if metric.table.total]
    lines = [MovesLine(metric) for metric in known]
    people = [
        (names.get(person.evaluator, ""), labels.TITLES[metric.metric], person)
        for metric in known
        for person in metric.people
    ]
    return {
        "plot": _plot_rates(
            [
                (f"{line.label}: {label}", rate)
                for line in lines
                for rate, label in (
                    (line.toward, _("to the automatic value")),
                    (line.away, _("away from it")),
                )
            ]
        ),
        "columns": [labels.CELLS[column] for column in MOVES],
        "few": FEW,
        "lines": lines,
        "people": sorted(people, key=lambda entry: entry[0]),
    }


def _describe_moves(toward: Rate, away: Rate, interval: Interval | None) -> str:
    if not toward.denominator:
        return _("Undefined: nobody had answered differently from the automatic value.")
    if not away.denominator:
        return _("Undefined: nobody had answered the same as the automatic value.")
    if why_not_yet(toward) or why_not_yet(away):
        return _("Can't tell yet: too few answers stood apart from the automatic value, or with it.")
    if interval is not None and interval[0] > 0:
        return _("People move to the automatic value more often than away from it.")
    if interval is not None and interval[1] < 0:
        return _("People move away from the automatic value more often than to it.")
    return _("These answers show no influence.")


def _points_between(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = (format_signed(end, 1) for end in interval)
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def describe_work(evaluations: int, games: int, people: int) -> str:
    return ", ".join(
        (
            ngettext("%(n)d evaluation", "%(n)d evaluations", evaluations) % {"n": evaluations},
            ngettext("%(n)d game", "%(n)d games", games) % {"n": games},
            ngettext("%(n)d evaluator", "%(n)d evaluators", people) % {"n": people},
        )
    )


def percent(value: float) -> str:
    return f"{figure(value)}\N{NO-BREAK SPACE}%"


def format_count(rate: Rate) -> str:
    return _("%(n)d of %(of)d") % {"n": rate.numerator, "of": rate.denominator}


def why_not_yet(rate: Rate) -> str:
    """Why the share is not reliable yet, and what it takes; "" when it is reliable or undefined."""
    if rate.interval is None:
        return ""
    if rate.denominator < FEWEST or _width(rate.interval) > WIDEST:
        counts = {"n": count_needed_answers(rate), "there": rate.denominator}
        return _("Too little data: %(there)d of at least %(n)d answers.") % counts
    if rate.over_games is not None and _width(rate.over_games) > WIDEST:
        return _("Can't tell yet: games differ too much; it takes more of them.")
    return ""


def count_needed_answers(rate: Rate) -> int:
    """How many answers bring Wilson's interval of this share within `WIDEST` points; at least `FEWEST`."""
    share = rate.numerator / rate.denominator

    def is_enough(count: int) -> bool:
        bounds = wilson(round(share * count), count)
        return bounds is not None and _width(bounds) <= WIDEST

    least = max(rate.denominator, FEWEST)
    return least + bisect_left(range(least, MOST_NEEDED), True, key=is_enough)


def _width(interval: Interval) -> float:
    return interval[1] - interval[0]


def _says(table: Crosstab) -> str:
    """What the shares show; if none is reliable, what the first of them lacks."""
    rates = [(table.rate(name), sentence) for name, sentence in labels.SAYS[table.part]]
    known = [(rate, sentence) for rate, sentence in rates if rate.value is not None]
    told = [
        str(sentence) % {"share": percent(rate.value or 0.0)}
        for rate, sentence in known
        if not why_not_yet(rate)
    ]
    return " ".join(told or [why_not_yet(rate) for rate, _sentence in known[:1]])


def _present(always: Mapping[str, Collection[str]], part: str, there: Collection[str]) -> list[str]:
    return [text for text in labels.ORDER if text in there or text in always.get(part, ())]


def _plot_rates(rates: Sequence[tuple[str, Rate]]) -> IntervalsChart | None:
    """The shares with their intervals, by label; None when no share has enough answers."""
    rows = [
        figure_row(
            label,
            rate,
            percent(rate.value),
            says=_("can't tell yet") if (is_wide := bool(why_not_yet(rate))) else format_count(rate),
            tone="wait" if is_wide else "",
        )
        for label, rate in rates
        if rate.value is not None and rate.interval is not None
    ]
    if all(row.tone == "wait" for row in rows):
        return None
    return interval_plot(rows, minimum=0.0, maximum=100.0)
