"""The page of one subject of agreement: its tables, its pairs of evaluators, and the cases behind a cell."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.models import TeamFigures
from discussions.reliability.core.agreement import KindAgreement
from discussions.reliability.core.blind_answers import AnswerKind
from discussions.reliability.core.pairs import PairAgreement, PairCell
from discussions.reliability.labels.agreement import (
    answer_word,
    find_answer_kind,
    format_unit_count,
    gwet_name,
)
from discussions.reliability.pages.agreement import AgreementRow, agreement_body, build_row
from discussions.reliability.pages.agreement_cases import AgreementCasesQuery, CasesPart, cases_part
from workspace.display.core.charts import Segment, share_bar
from workspace.models import Person, Project
from workspace.statistics.estimates import Agreement

MOST_PAIRS = 100


class PairTable(Struct, frozen=True):
    """Counts of pairs of answers by (row, column); `values` are the answers that occur, in order.

    With a `pair`, rows are the answers of the first evaluator. Without one, only cells with row <= column are filled.
    """

    values: list[str]
    counts: dict[tuple[str, str], int]
    pair: PairAgreement | None


class SubjectPage(Struct, frozen=True):
    """The page. `words` are the answers in words, `names` the evaluators, `shares` (answer, count, agreement on it)."""

    wanted: AgreementCasesQuery
    row: AgreementRow
    figures: list[tuple[str, Agreement]]
    compared: str
    is_rating: bool
    segments: list[Segment]
    shares: list[tuple[str, int, Agreement | None]]
    table: PairTable | None
    words: dict[str, str]
    names: dict[int, str]
    pairs: list[PairAgreement]
    more_pairs: int
    cases: CasesPart | None


def build_subject_page(
    *, project: Project, row: TeamFigures, wanted: AgreementCasesQuery
) -> SubjectPage | None:
    """The page of a subject from these figures; None if there is no such subject, pair, cell or case."""
    figures = agreement_body(row)
    subject = find_answer_kind(wanted.thing, len(figures.questions))
    found = figures.agreement.find(wanted.thing)
    if subject is None or found is None:
        return None
    pair = next((pair for pair in found.people if (pair.first, pair.second) == wanted.pair), None)
    cells = pair.cells if pair else found.cells
    is_there = any((cell.row, cell.column) == (wanted.row, wanted.column) for cell in cells)
    if (wanted.pair and pair is None) or (wanted.has_cell and not is_there):
        return None
    names = _names(found.people)
    cases = cases_part(project, subject, wanted, names) if wanted.has_cell else None
    if wanted.has_cell and cases is None:
        return None
    pairs = sorted(found.people, key=lambda pair: (2.0 if pair.alpha is None else pair.alpha, pair.first))
    specific = dict(found.specific)
    return SubjectPage(
        wanted=wanted,
        row=build_row(subject, found, figures.questions),
        figures=_figures(subject, found),
        compared=_compared(subject, found),
        is_rating=subject.is_rating,
        segments=_segments(subject, found.shares),
        shares=[(value, count, specific.get(value)) for value, count in found.shares],
        table=_table(subject, cells, pair) if cells else None,
        words={value: answer_word(subject, value) for value in subject.values},
        names=names,
        pairs=pairs[:MOST_PAIRS],
        more_pairs=max(0, len(pairs) - MOST_PAIRS),
        cases=cases,
    )


def _names(pairs: Sequence[PairAgreement]) -> dict[int, str]:
    keys = {key for pair in pairs for key in (pair.first, pair.second)}
    return dict(Person.objects.filter(pk__in=keys).values_list("pk", "name"))


def _figures(subject: AnswerKind, found: KindAgreement) -> list[tuple[str, Agreement]]:
    level = _("ordinal") if subject.is_rating else _("nominal")
    figures = [
        (_("Krippendorff's alpha, %(level)s") % {"level": level}, found.alpha),
        (_("Gwet's %(name)s") % {"name": gwet_name(subject)}, found.gwet),
        (_("Pairs that agree"), found.share),
        (_("ICC(2,1), one evaluator"), found.icc),
        (_("ICC(2,k), the mean of all"), found.panel),
    ]
    return [(name, agreement) for name, agreement in figures if agreement is not None]


def _compared(subject: AnswerKind, found: KindAgreement) -> str:
    """The counts behind the figures; for a question or the rating the games are the units."""
    says = "{}, {}, {}.".format(
        ngettext("%(n)d game", "%(n)d games", found.games) % {"n": found.games},
        ngettext("%(n)d evaluator", "%(n)d evaluators", found.raters) % {"n": found.raters},
        ngettext("%(n)d pair of answers", "%(n)d pairs of answers", found.pairs) % {"n": found.pairs},
    )
    return f"{format_unit_count(subject, found.items)}, {says}" if subject.has_parts else says


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


def _table(subject: AnswerKind, cells: Sequence[PairCell], pair: PairAgreement | None) -> PairTable:
    known = {value for cell in cells for value in (cell.row, cell.column)}
    return PairTable(
        values=[value for value in subject.values if value in known],
        counts={(cell.row, cell.column): cell.count for cell in cells},
        pair=pair,
    )
