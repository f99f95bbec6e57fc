"""The page of accuracy: how accurate the automatic findings are, the cases behind its cells, and asking for figures."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlencode

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
from discussions.reliability.actions import ask_for_team_figures
from discussions.reliability.core.accuracy import SHARES, AccuracyFigures, MetricTurns, VersionAccuracy
from discussions.reliability.core.crosstab import Crosstab, CrosstabCell
from discussions.reliability.forms import TeamKindForm
from discussions.reliability.labels import CARDS, CELLS, HEADINGS, TITLES
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import game_texts
from discussions.reliability.views.agreement import load_names
from discussions.reliability.views.state import SECTION, build_team_state
from discussions.reliability.views.tables import MOVED, TableOfCounts, anchoring_context, describe_work
from rubric.models import RubricVersion
from workspace.core.limits import PAGE_SIZE
from workspace.core.refusals import Malformed
from workspace.models import Project
from workspace.stored_statistics.pages import decode_body
from workspace.web.bind_form import bind_form, only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

KIND = "accuracy"


@require("see_team_figures")
def accuracy(request: SignedIn, slug: str) -> HttpResponse:
    """The accuracy of automatic values, and anchoring."""
    version = only_parameters(request, "version")["version"]
    project = project_or_404(request.user, slug, check_see_team_statistics)
    context = {
        **_accuracy_context(project, version, timezone.now()),
        **frame(request.user, project, SECTION),
    }
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


def _accuracy_context(project: Project, key: str, now: datetime) -> dict[str, object]:
    """The page of a project under the version of that key, or the newest if it is ""; at most eight queries.

    Http404 for an unknown version; without figures, their state alone. `names` are the names of versions, by key.
    """
    state, row = build_team_state(project=project, kind=KIND, now=now)
    if row is None:
        return {"state": state, "version": None}
    figures = _accuracy_body(row)
    version = _find_version(figures, key)
    people = {person.evaluator for metric in version.anchoring for person in metric.people}
    return {
        "state": state,
        "versions": figures.versions,
        "names": _load_version_names(figures),
        "version": version,
        "basis": describe_work(version.evaluations, version.games, version.evaluators),
        "cards": [_build_card(metric, parts, version) for metric, parts in CARDS.items()],
        "anchoring": anchoring_context(version.anchoring, load_names(people)),
    }


def _accuracy_body(row: TeamFigures) -> AccuracyFigures:
    figures: AccuracyFigures = decode_body(row, AccuracyFigures)
    return figures


def _find_version(figures: AccuracyFigures, key: str) -> VersionAccuracy:
    """The figures of the version with that key, or of the newest if it is ""; Http404 when there is none."""
    for version in figures.versions:
        if key in ("", version.key):
            return version
    raise Http404


def _load_version_names(figures: AccuracyFigures) -> dict[str, str]:
    """The names of the versions by key."""
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
    figures = _accuracy_body(row)
    version = _find_version(figures, wanted["version"])
    table = _find_table(version, wanted["table"])
    cell = _find_cell(table, wanted["row"], wanted["column"])
    counted = Counter((case.game, case.message, case.detail) for case in cell.cases)
    grouped = list(counted.items())
    start = parse_number(wanted["from"]) or 1
    listed = grouped[start - 1 : start - 1 + PAGE_SIZE]
    if not listed:
        raise Http404
    games = {game for (game, _message, _detail), _count in listed}
    rows = game_texts(game__project=project, game__number__in=games)
    texts = {number: text for _game, number, text in rows}
    last = start + len(listed) - 1
    is_moved = wanted["table"].startswith(MOVED)
    return {
        "version": version,
        "version_name": _load_version_names(figures)[version.key],
        "title": _describe_table(wanted["table"]),
        "heading": "" if is_moved else HEADINGS[table.part],
        "is_moved": is_moved,
        "row": CELLS[cell.row],
        "column": CELLS[cell.column],
        "cell": cell,
        "lines": [_build_case(*case, count, texts[case[0]]) for case, count in listed],
        "previous_url": _address(wanted, max(1, start - PAGE_SIZE)) if start > 1 else "",
        "next_url": _address(wanted, last + 1) if last < len(grouped) else "",
        "says": _("%(first)d to %(last)d of %(count)d")
        % {"first": start, "last": last, "count": len(grouped)},
    }


def _address(wanted: Mapping[str, str], start: int) -> str:
    return f"?{urlencode({**wanted, 'from': start})}"


def _find_table(version: VersionAccuracy, name: str) -> Crosstab:
    if name.startswith(MOVED):
        metric = name.removeprefix(MOVED)
        for anchoring in version.anchoring:
            if anchoring.metric == metric:
                return anchoring.table
    elif name in SHARES:
        return version.table(name)
    raise Http404


def _find_cell(table: Crosstab, row: str, column: str) -> CrosstabCell:
    for cell in table.cells:
        if (cell.row, cell.column) == (row, column):
            return cell
    raise Http404


def _describe_table(name: str) -> str:
    if name.startswith(MOVED):
        return str(TITLES[name.removeprefix(MOVED)])
    return next(str(LABELS[key].title) for key, parts in CARDS.items() if name in parts)


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
