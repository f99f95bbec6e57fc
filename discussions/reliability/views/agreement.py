"""The page of agreement: how far evaluators of the same games agree, and each with themselves; and its words."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from discussions.adjudication.labels import answer_label
from discussions.core import judgement_kinds
from discussions.core.records import GameRecord
from discussions.games.core import find_start
from discussions.metrics.core.text import split
from discussions.models import TeamFigures
from discussions.reliability.core.agreement import (
    AgreementLine,
    EvaluatorAgreement,
    EvaluatorSelfAgreement,
    KindAgreement,
)
from discussions.reliability.core.blind_answers import (
    PART_KINDS,
    AnswerKind,
    Item,
    find_pair_cases,
    list_answer_kinds,
)
from discussions.reliability.permissions import check_see_team_statistics
from discussions.reliability.queries import answers_in_cell, game_texts, shared_games
from discussions.reliability.views.engagement import SECTION, build_team_state, load_names, turn_pages
from workspace.core.text import shorten
from workspace.core.words import decode_stored
from workspace.display.core.charts import Segment, share_bar
from workspace.models import Project
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import ENOUGH, LOW, agreement_answer, judge_agreement, list_undefined
from workspace.web.bind_form import parse_number, project_or_404
from workspace.web.views import SignedIn, frame, odd_address, only_parameters, require, respond

KIND = "agreement"
LABELS = {
    judgement_kinds.REFERENCE: gettext_lazy("Memory references"),
    judgement_kinds.STRATEGIC_DEPTH: gettext_lazy("Strategic depth"),
    judgement_kinds.COHERENCE: gettext_lazy("Conversation coherence"),
    judgement_kinds.ROLE_CONSISTENCY: gettext_lazy("Role consistency"),
    judgement_kinds.IDENTIFY: gettext_lazy("Manual check: identified by the language"),
    judgement_kinds.RATING: gettext_lazy("Rating"),
    judgement_kinds.MISSED: gettext_lazy("Sentences marked as missed references"),
    judgement_kinds.PHRASE: gettext_lazy("Repeated phrases marked acceptable"),
}

STRENGTHS = {
    "firm": gettext_lazy("firm (.800 or more)"),
    "tentative": gettext_lazy("tentative (.667 to .800)"),
    "low": gettext_lazy("too low to rest on (below .667)"),
    "": "",
}


@require("see_team_figures")
def agreement(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_see_team_statistics)
    context = {**_agreement_context(project), **frame(request.user, project, SECTION)}
    return respond(
        request,
        page="discussions/reliability/agreement.html",
        region="discussions/reliability/_agreement_figures.html",
        context=context,
    )


def _agreement_context(project: Project) -> dict[str, object]:
    """The figures of a project; at most eleven queries. `is_shared`: two evaluators submitted the same game.

    `names` are evaluators by key, `notes` are sentences, each once, with the labels of the subjects it applies to.
    """
    state, row = build_team_state(project=project, kind=KIND, now=timezone.now())
    if row is None:
        return {"state": state, "is_shared": shared_games(project).exists(), "rows": [], "own": []}
    figures = decode_stored(row.body, EvaluatorAgreement)
    team, question_count = figures.agreement, len(figures.questions)
    rows = [
        AgreementRow(subject, line, figures.questions)
        for line in team.things
        if (subject := find_answer_kind(line.key, question_count)) is not None
    ]
    compared = {key for line in team.things for pair in line.people for key in (pair.first, pair.second)}
    names = load_names(compared | {person.evaluator for line in figures.own for person in line.people})
    labels: dict[str, list[str]] = {}
    for shown in rows:
        for note in shown.notes:
            labels.setdefault(note, []).append(shown.label)
    basis = ngettext(
        "%(n)d game that two evaluators or more have submitted, %(people)d evaluators.",
        "%(n)d games that two evaluators or more have submitted, %(people)d evaluators.",
        figures.games,
    )
    return {
        "state": state,
        "is_shared": figures.games > 0,
        "basis": basis % {"n": figures.games, "people": team.evaluators},
        "not_blind": figures.submitted - team.evaluations,
        "answer": agreement_answer([(row.label, row.line.alpha) for row in rows]),
        "rows": rows,
        **_find_who_differs(team.things, rows, names),
        "enough": ENOUGH,
        "notes": list(labels.items()),
        "marks": [(LABELS[mark.kind], mark) for mark in team.marks],
        "own": [_own_row(line, question_count) for line in figures.own],
        "names": names,
    }


# So many evaluators have a column; of more, those who differ most.
MOST_COLUMNS = 6


def _find_who_differs(
    lines: Sequence[KindAgreement], rows: Sequence["AgreementRow"], names: Mapping[int, str]
) -> dict[str, object]:
    """`ranked` are the rows with a value, lowest alpha first; `columns` evaluators, (key, name); `differs` is by
    subject and evaluator the share of pairs in which their answer is another than the other evaluator's, in percent.
    """
    pairs: dict[str, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        for pair in line.people:
            same = sum(cell.count for cell in pair.cells if is_near(cell.row, cell.column))
            for evaluator in (pair.first, pair.second):
                pairs[line.key][evaluator].append((pair.items - same, pair.items))
    differs = {
        key: {
            person: 100 * sum(n for n, _all in found) / sum(n for _n, n in found)
            for person, found in own.items()
        }
        for key, own in pairs.items()
    }
    most = {
        person: max(own.get(person, 0.0) for own in differs.values())
        for own in differs.values()
        for person in own
    }
    kept = sorted(most, key=lambda person: -most[person])[:MOST_COLUMNS]
    return {
        "ranked": sorted(
            (row for row in rows if row.line.alpha.value is not None),
            key=lambda row: row.line.alpha.value or 0.0,
        ),
        "columns": sorted(
            ((key, names[key]) for key in kept if key in names), key=lambda one: one[1].casefold()
        ),
        "differs": differs,
    }


def is_near(answer: str, other: str) -> bool:
    """Whether two answers are the same; ratings less than a point apart are."""
    is_rating = answer in judgement_kinds.RATINGS and other in judgement_kinds.RATINGS
    return abs(float(answer) - float(other)) < 1 if is_rating else answer == other


class AgreementRow:
    """Agreement on one subject; `text` is the question, `notes` and `needed` are sentences."""

    def __init__(self, subject: AnswerKind, line: AgreementLine, questions: Sequence[str]) -> None:
        self.line = line
        self.label = get_kind_label(subject)
        self.text = questions[int(subject.question) - 1] if subject.question else ""
        self.strength = STRENGTHS[line.strength]
        self.state = judge_agreement(line.alpha)
        self.word = {"enough": _("enough"), LOW: _("too low"), "unclear": _("unclear"), "": ""}[self.state]
        self.needed = _describe_needed(subject, line)
        self.needed_says = _explain_needed(line, self.needed)
        figures = [
            (_("Alpha"), line.alpha),
            (gwet_name(subject), line.gwet),
            (_("agreement"), line.share),
            ("ICC(2,1)", line.icc),
            ("ICC(2,k)", line.panel),
        ]
        known = [(name, estimate) for name, estimate in figures if estimate is not None]
        self.notes = [*list_undefined(known, line.alpha, _("alpha")), *_list_notes(subject, line)]


def _own_row(line: EvaluatorSelfAgreement, question_count: int) -> dict[str, object]:
    subject = find_answer_kind(line.key, question_count)
    figures = [(_("Alpha"), line.alpha), (_("agreement"), line.share)]
    return {
        "line": line,
        "label": get_kind_label(subject) if subject else line.key,
        "notes": list_undefined(figures, line.alpha, _("alpha")),
    }


def get_kind_label(answer_kind: AnswerKind) -> str:
    return (
        _("Question %(number)s") % {"number": answer_kind.question}
        if answer_kind.question
        else str(LABELS[answer_kind.kind])
    )


def find_answer_kind(key: str, question_count: int) -> AnswerKind | None:
    return {kind.key: kind for kind in list_answer_kinds(question_count)}.get(key)


def answer_word(answer_kind: AnswerKind, value: str) -> str:
    return f"{float(value):g}" if answer_kind.is_rating else answer_label(answer_kind.kind, value)


def gwet_name(answer_kind: AnswerKind) -> str:
    return "AC2" if answer_kind.is_rating else "AC1"


_UNITS = dict.fromkeys(PART_KINDS, ngettext_lazy("%(n)d message", "%(n)d messages", "n")) | {
    judgement_kinds.REFERENCE: ngettext_lazy("%(n)d reference", "%(n)d references", "n"),
    judgement_kinds.IDENTIFY: ngettext_lazy("%(n)d agent", "%(n)d agents", "n"),
}
GAMES = ngettext_lazy("%(n)d game", "%(n)d games", "n")


def format_unit_count(answer_kind: AnswerKind, count: int) -> str:
    return _UNITS.get(answer_kind.kind, GAMES) % {"n": count}


def _list_notes(answer_kind: AnswerKind, line: AgreementLine) -> Iterator[str]:
    if line.is_skewed:
        words = {
            "word": answer_word(answer_kind, line.common),
            "share": f"{100 * line.common_share:.0f}",
            "gwet": gwet_name(answer_kind),
        }
        says = _(
            "Low alpha here may mean few answers other than “%(word)s” (%(share)s\u00a0%% of all), "
            "not poor raters; "
            "look at the table and at %(gwet)s beside it."
        )
        yield says % words
    if answer_kind.has_parts and line.items and line.items < line.answered:
        says = _(
            "%(items)s of %(answered)d that were judged blind have two answers or more; only those are compared."
        )
        yield says % {"items": format_unit_count(answer_kind, line.items), "answered": line.answered}
    if answer_kind.kind == judgement_kinds.ROLE_CONSISTENCY and line.items:
        yield _(
            "Everybody labels what the rules object to, so these messages are not like all messages of a game."
        )


def _describe_needed(subject: AnswerKind, line: AgreementLine) -> str:
    """How many evaluators are enough by the ends of an interval, or what is too few; "" without a value."""
    if line.needed_range is None:
        rare = line.rare
        if line.alpha.value is None:
            return ""
        if rare is None:
            return _("too few games to say")
        words = _(" or ").join(f"“{answer_word(subject, value)}”" for value in rare)
        return _("too few of %(words)s to say") % {"words": words}
    least, most = line.needed_range
    if most is None:
        return _("%(n)d or more: too few games to say") % {"n": least}
    return f"{least}" if least == most else _("%(least)d to %(most)d") % {"least": least, "most": most}


def _explain_needed(line: AgreementLine, needed: str) -> str:
    """A sentence on the evaluators that would be enough; "" without a number."""
    if not needed:
        return ""
    says = _(
        "Evaluators for each game that make their joint answer reliable (.80): %(needed)s (Spearman-Brown, %(basis)s)."
    )
    return says % {
        "needed": needed,
        "basis": "ICC(2,1)" if line.icc and line.icc.value is not None else _("alpha"),
    }


MOST_PAIRS = 100
CASES_A_PAGE = 25
LONGEST_CASE = 400
_PAIR = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


class CellAddress:
    """What the address asks for: a pair of evaluators, the cell ("" for none), and the number of the first case."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.row, self.column = parameters["row"], parameters["column"]
        match = _PAIR.fullmatch(parameters["pair"])
        if match is None and parameters["pair"]:
            raise odd_address()
        self.pair = (int(match[1]), int(match[2])) if match else None
        self.start = parse_number(parameters["from"]) or 1
        self.has_cell = bool(self.row or self.column)

    @property
    def pair_key(self) -> dict[str, str]:
        """The parameter of the address that names the pair; empty without a pair."""
        return {"pair": "{}-{}".format(*self.pair)} if self.pair else {}

    def url_from(self, start: int) -> str:
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


def _subject_context(
    project: Project, row: TeamFigures, thing: str, wanted: CellAddress
) -> dict[str, object]:
    """The page of a subject from these figures; Http404 if there is no such subject, pair, cell or case.

    `words` are the answers in words, `names` the evaluators, `shares` are (answer, count, agreement on it). `counts`
    are of pairs of answers by (row, column), `answers` those that occur. With a `pair`, rows are the answers of the
    first evaluator; without one, only cells with row <= column are filled.
    """
    figures = decode_stored(row.body, EvaluatorAgreement)
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
        "counts": {(cell.row, cell.column): cell.count for cell in cells},
        "answers": [
            value for value in subject.values if any(value in (cell.row, cell.column) for cell in cells)
        ],
        "pair": pair,
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
        GAMES % {"n": line.games},
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
    listed, pager = turn_pages(list(pairs), wanted.start, CASES_A_PAGE, wanted.url_from)
    games = {game for game, _subject in listed}
    texts = {game: (number, text) for game, number, text in game_texts(game__in=games)}
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
        **pager,
    }


def _place(subject: AnswerKind, item: Item, number: int, text: GameRecord) -> dict[str, object]:
    """Where the case is: its game, and the message with its speaker, or the agent's name; a game has neither.

    `start` is the first message of the game's page.
    """
    part = item[1]
    place: dict[str, object] = {"game": number, "message": 0, "start": 0}
    place |= {"speaker": "", "text": "", "spans": []}
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
