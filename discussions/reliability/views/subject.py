"""The page of one subject of agreement: its tables, its pairs of evaluators, and the cases behind a cell."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.core import judgement_kinds
from discussions.core.records import GameRecord
from discussions.games.core import find_start
from discussions.metrics.core.text import split
from discussions.models import TeamFigures
from discussions.reliability.core.agreement import KindAgreement
from discussions.reliability.core.blind_answers import AnswerKind, Item
from discussions.reliability.core.pairs import PairAgreement, PairCell, find_pair_cases
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import answers_in_cell, game_texts
from discussions.reliability.views.agreement import (
    KIND,
    AgreementRow,
    agreement_body,
    answer_word,
    find_answer_kind,
    format_unit_count,
    gwet_name,
    load_names,
)
from discussions.reliability.views.state import SECTION, build_team_state
from workspace.core.refusals import Malformed
from workspace.core.text import shorten
from workspace.display.core.charts import Segment, share_bar
from workspace.models import Project
from workspace.statistics.estimates import Agreement
from workspace.web.bind_form import only_parameters, parse_number, project_or_404
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

MOST_PAIRS = 100
CASES_A_PAGE = 25
LONGEST_CASE = 400
_PAIR = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


class CellAddress:
    """What the address asks for: a pair of evaluators, the cell ("" for none), and the number of the first case."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.row, self.column = parameters["row"], parameters["column"]
        self.pair = _parse_pair(parameters["pair"])
        self.start = parse_number(parameters["from"]) or 1
        self.has_cell = bool(self.row or self.column)

    @property
    def pair_key(self) -> dict[str, str]:
        """The parameter of the address that names the pair; empty without a pair."""
        return {"pair": "{}-{}".format(*self.pair)} if self.pair else {}

    def url_from(self, start: int) -> str:
        """The address of the same cell from another case on."""
        parameters = self.pair_key | {"row": self.row, "column": self.column, "from": str(start)}
        return f"?{urlencode(parameters)}#cases"


@require("see_team_figures")
def agreement_thing(request: SignedIn, slug: str, thing: str) -> HttpResponse:
    """A subject with its tables and cases; redirects to the agreement page while its statistics are missing."""
    project = project_or_404(request.user, slug, check_see_team_statistics)
    wanted = CellAddress(only_parameters(request, "row", "column", "pair", "from"))
    _state, row = build_team_state(project=project, kind=KIND, now=timezone.now())
    if row is None:
        return redirect("agreement", slug=slug)
    context = {**_subject_context(project, row, thing, wanted), **frame(request.user, project, SECTION)}
    return respond(request, page="discussions/reliability/agreement_subject.html", context=context)


def _parse_pair(text: str) -> tuple[int, int] | None:
    """The two evaluators of "3-7"; None for "". Raises Malformed (400)."""
    if not text:
        return None
    match = _PAIR.fullmatch(text)
    if match is None:
        raise Malformed(_("This address holds something that the page does not know. Open the page again."))
    return int(match[1]), int(match[2])


def _subject_context(
    project: Project, row: TeamFigures, thing: str, wanted: CellAddress
) -> dict[str, object]:
    """The page of a subject from these figures; Http404 if there is no such subject, pair, cell or case.

    `words` are the answers in words, `names` the evaluators, `shares` are (answer, count, agreement on it).
    """
    figures = agreement_body(row)
    subject = find_answer_kind(thing, len(figures.questions))
    line = figures.agreement.find(thing)
    if subject is None or line is None:
        raise Http404
    pair = next((pair for pair in line.people if (pair.first, pair.second) == wanted.pair), None)
    cells = pair.cells if pair else line.cells
    is_there = any((cell.row, cell.column) == (wanted.row, wanted.column) for cell in cells)
    if (wanted.pair and pair is None) or (wanted.has_cell and not is_there):
        raise Http404
    names = load_names({key for pair in line.people for key in (pair.first, pair.second)})
    pairs = sorted(line.people, key=lambda pair: (2.0 if pair.alpha is None else pair.alpha, pair.first))
    specific = dict(line.specific)
    return {
        "wanted": wanted,
        "row": AgreementRow(subject, line, figures.questions),
        "figures": _list_figures(subject, line),
        "compared": _describe_compared(subject, line),
        "is_rating": subject.is_rating,
        "segments": _segments(subject, line.shares),
        "shares": [(value, count, specific.get(value)) for value, count in line.shares],
        "table": _build_table(subject, cells, pair) if cells else None,
        "words": {value: answer_word(subject, value) for value in subject.values},
        "names": names,
        "pairs": pairs[:MOST_PAIRS],
        "more_pairs": max(0, len(pairs) - MOST_PAIRS),
        "cases": _load_cases(project, subject, wanted, names) if wanted.has_cell else None,
    }


def _list_figures(subject: AnswerKind, line: KindAgreement) -> list[tuple[str, Agreement]]:
    level = _("ordinal") if subject.is_rating else _("nominal")
    figures = [
        (_("Krippendorff's alpha, %(level)s") % {"level": level}, line.alpha),
        (_("Gwet's %(name)s") % {"name": gwet_name(subject)}, line.gwet),
        (_("Pairs that agree"), line.share),
        (_("ICC(2,1), one evaluator"), line.icc),
        (_("ICC(2,k), the mean of all"), line.panel),
    ]
    return [(name, agreement) for name, agreement in figures if agreement is not None]


def _describe_compared(subject: AnswerKind, line: KindAgreement) -> str:
    """The counts behind the figures; for a question or the rating the games are the units."""
    says = "{}, {}, {}.".format(
        ngettext("%(n)d game", "%(n)d games", line.games) % {"n": line.games},
        ngettext("%(n)d evaluator", "%(n)d evaluators", line.raters) % {"n": line.raters},
        ngettext("%(n)d pair of answers", "%(n)d pairs of answers", line.pairs) % {"n": line.pairs},
    )
    return f"{format_unit_count(subject, line.items)}, {says}" if subject.has_parts else says


def _segments(subject: AnswerKind, shares: list[tuple[str, int]]) -> list[Segment]:
    total = sum(count for _value, count in shares)
    if subject.is_rating or not total:
        return []
    return share_bar(
        [
            (answer_word(subject, value), f"{100 * count / total:.0f}\u00a0%", count / total)
            for value, count in shares
        ]
    )


def _build_table(
    subject: AnswerKind, cells: Sequence[PairCell], pair: PairAgreement | None
) -> dict[str, object]:
    """Counts of pairs of answers by (row, column), and the `answers` that occur, in order.

    With a `pair`, rows are the answers of the first evaluator. Without one, only cells with row <= column are filled.
    """
    known = {value for cell in cells for value in (cell.row, cell.column)}
    return {
        "answers": [value for value in subject.values if value in known],
        "counts": {(cell.row, cell.column): cell.count for cell in cells},
        "pair": pair,
    }


def _load_cases(
    project: Project, subject: AnswerKind, wanted: CellAddress, names: Mapping[int, str]
) -> dict[str, object]:
    """The cases of that cell, from `wanted.start`; Http404 when there are none. Two queries.

    `count` is the number of its pairs of answers. `names` of a case are the evaluators of a pair, None when the cell
    counts all; `pair_count` pairs of evaluators gave these answers.
    """
    answers = answers_in_cell(project, subject, wanted.row, wanted.column)
    pairs_of_answers = find_pair_cases(answers, subject, wanted.row, wanted.column, wanted.pair)
    pairs = Counter((case.game, case.subject) for case in pairs_of_answers)
    items = list(pairs)
    listed = items[wanted.start - 1 : wanted.start - 1 + CASES_A_PAGE]
    if not listed:
        raise Http404
    games = {game for game, _subject in listed}
    texts = {game: (number, text) for game, number, text in game_texts(game__in=games)}
    last = wanted.start + len(listed) - 1
    values = (answer_word(subject, wanted.row), answer_word(subject, wanted.column))
    named = (names.get(wanted.pair[0], ""), names.get(wanted.pair[1], "")) if wanted.pair else None
    shared = {"answers": values, "names": named}
    return {
        "row": values[0],
        "column": values[1],
        "count": len(pairs_of_answers),
        "lines": [
            _place(subject, item, *texts[item[0]]) | shared | {"pair_count": pairs[item]} for item in listed
        ],
        "previous_url": wanted.url_from(max(1, wanted.start - CASES_A_PAGE)) if wanted.start > 1 else "",
        "next_url": wanted.url_from(last + 1) if last < len(items) else "",
        "says": _("%(first)d to %(last)d of %(count)d")
        % {"first": wanted.start, "last": last, "count": len(items)},
    }


def _place(subject: AnswerKind, item: Item, number: int, text: GameRecord) -> dict[str, object]:
    """Where the case is: its game, and the message with its speaker, or the agent's name; a game has neither.

    `start` is the first message of the game's page.
    """
    part = item[1]
    place: dict[str, object] = {
        "game": number,
        "message": 0,
        "start": 0,
        "speaker": "",
        "text": "",
        "spans": [],
    }
    if subject.kind == judgement_kinds.IDENTIFY:
        place["speaker"] = text.players[int(part) - 1].name
    elif subject.has_parts:
        position, sentence = judgement_kinds.parse_subject(part)
        message = text.messages[position - 1]
        place["message"], place["start"] = position, find_start(position)
        place["speaker"] = text.players[message.player - 1].name
        place["text"], place["spans"] = _excerpt(message.text, sentence)
    return place


def _excerpt(text: str, sentence: int) -> tuple[str, list[tuple[int, int]]]:
    """The message with its sentence marked; for a long message, only the sentence, or the beginning."""
    if not sentence:
        return shorten(text, LONGEST_CASE), []
    start, end = split(text)[sentence - 1]
    if len(text) <= LONGEST_CASE:
        return text, [(start, end)]
    return shorten(text[start:end], LONGEST_CASE), []
