"""The page of one thing that evaluators agree on or not: its tables, each two evaluators, and what is behind a cell."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.models import TeamFigures
from discussions.reliability.core.agreement import AgreedThing
from discussions.reliability.core.blind_answers import Thing
from discussions.reliability.core.pairs import PairAgreed, PairCell
from discussions.reliability.labels.agreement import (
    answer_word,
    companion_name,
    format_unit_count,
    thing_by_key,
)
from discussions.reliability.pages.agreement import AgreementRow, agreement_body, build_row
from discussions.reliability.pages.agreement_cases import AgreementCasesQuery, CasesPart, cases_part
from workspace.display.core.charts import Segment, share_bar
from workspace.models import Person, Project
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import PLACES, interval_text, number

MOST_PAIRS = 100


class AgreementFigure(Struct, frozen=True):
    """One figure with its name, its interval and what it is of."""

    name: str
    value: str
    says: str


class AnswerShare(Struct, frozen=True):
    """How often one answer was given, and how far evaluators agree on it alone; `kind` is its pattern in the bar."""

    label: str
    count: int
    percent: str
    agreed: str
    interval: str
    kind: int


class CellLink(Struct, frozen=True):
    """A cell of the table: how many, and the address of its cases; `is_part` is False below the diagonal."""

    count: int
    url: str
    is_same: bool
    is_part: bool
    is_open: bool


class AnswerTableRow(Struct, frozen=True):
    """A row of the table."""

    label: str
    cells: list[CellLink]


class AnswerTable(Struct, frozen=True):
    """Answers to the same thing side by side; of a pair `first` stands in the rows and `second` in the columns."""

    columns: list[str]
    rows: list[AnswerTableRow]
    first: str
    second: str


class PairRow(Struct, frozen=True):
    """Two evaluators beside each other."""

    first: str
    second: str
    items: int
    share: str
    kappa: str
    alpha: str
    reason: str
    url: str


class ThingPage(Struct, frozen=True):
    """The page; `all_url` leads from the table of a pair back to that of all, and is "" on the latter."""

    slug: str
    line: AgreementRow
    figures: list[AgreementFigure]
    compared: str
    kappa_note: str
    segments: list[Segment]
    shares: list[AnswerShare]
    table: AnswerTable | None
    all_url: str
    pairs: list[PairRow]
    more_pairs: int
    cases: CasesPart | None


def build_thing_page(*, project: Project, row: TeamFigures, wanted: AgreementCasesQuery) -> ThingPage | None:
    """The page of a thing from these figures; None where there is no such thing, pair, cell or case."""
    figures = agreement_body(row)
    thing = thing_by_key(wanted.thing, len(figures.questions))
    found = figures.agreement.find(wanted.thing)
    if thing is None or found is None:
        return None
    pair = next((person for person in found.people if (person.first, person.second) == wanted.pair), None)
    cells = pair.cells if pair else found.cells
    is_there = any((cell.row, cell.column) == (wanted.row, wanted.column) for cell in cells)
    if (wanted.pair and pair is None) or (wanted.has_cell and not is_there):
        return None
    names = _names(found.people)
    cases = cases_part(project, thing, wanted, names) if wanted.has_cell else None
    if wanted.has_cell and cases is None:
        return None
    people = sorted(
        found.people, key=lambda person: (2.0 if person.alpha is None else person.alpha, person.first)
    )
    return ThingPage(
        slug=project.slug,
        line=build_row(thing, found, figures.questions),
        figures=_figures(thing, found),
        compared=_compared(thing, found),
        kappa_note=_("Kappa of the rating has quadratic weights.") if thing.is_rating else "",
        segments=_segments(thing, found.shares),
        shares=_shares(thing, found),
        table=_table(thing, cells, wanted, pair, names) if cells else None,
        all_url="?" if pair else "",
        pairs=[_pair(person, names) for person in people[:MOST_PAIRS]],
        more_pairs=max(0, len(people) - MOST_PAIRS),
        cases=cases,
    )


def _names(people: Sequence[PairAgreed]) -> dict[int, str]:
    keys = {key for person in people for key in (person.first, person.second)}
    return dict(Person.objects.filter(pk__in=keys).values_list("pk", "name"))


def _figures(thing: Thing, found: AgreedThing) -> list[AgreementFigure]:
    """The headline first; what has no value is told among the notes."""
    level = _("ordinal") if thing.is_rating else _("nominal")
    named: list[tuple[str, Agreement | None]] = [
        (_("Krippendorff's alpha, %(level)s") % {"level": level}, found.alpha),
        (_("Gwet's %(name)s") % {"name": companion_name(thing)}, found.companion),
        (_("Pairs that agree"), found.share),
        (_("ICC(2,1), one evaluator"), found.icc),
        (_("ICC(2,k), the mean of all"), found.panel),
    ]
    return [
        AgreementFigure(
            name, number(agreement.value, PLACES) or "–", interval_text(agreement.interval, PLACES)
        )
        for name, agreement in named
        if agreement is not None
    ]


def _compared(thing: Thing, found: AgreedThing) -> str:
    """What the figures rest on; for a question or the rating the games are what is compared."""
    says = "{}, {}, {}.".format(
        ngettext("%(n)d game", "%(n)d games", found.games) % {"n": found.games},
        ngettext("%(n)d evaluator", "%(n)d evaluators", found.raters) % {"n": found.raters},
        ngettext("%(n)d pair of answers", "%(n)d pairs of answers", found.pairs) % {"n": found.pairs},
    )
    return f"{format_unit_count(thing, found.items)}, {says}" if thing.has_parts else says


def _segments(thing: Thing, shares: list[tuple[str, int]]) -> list[Segment]:
    total = sum(count for _value, count in shares)
    if thing.is_rating or not total:
        return []
    return share_bar(
        [
            (answer_word(thing, value), f"{100 * count / total:.0f} %", count / total)
            for value, count in shares
        ]
    )


def _shares(thing: Thing, found: AgreedThing) -> list[AnswerShare]:
    total = sum(count for _value, count in found.shares)
    specific = dict(found.specific)
    return [
        AnswerShare(
            label=answer_word(thing, value),
            count=count,
            percent=f"{100 * count / total:.0f} %",
            agreed=number(specific[value].value, PLACES) if value in specific else "",
            interval=interval_text(specific[value].interval, PLACES) if value in specific else "",
            kind=at % 4,
        )
        for at, (value, count) in enumerate(found.shares)
    ]


def _table(
    thing: Thing,
    cells: Sequence[PairCell],
    wanted: AgreementCasesQuery,
    pair: PairAgreed | None,
    names: Mapping[int, str],
) -> AnswerTable:
    """Answers that occur, in order; without a pair each two answers stand once, on or above the diagonal."""
    there = {value for cell in cells for value in (cell.row, cell.column)}
    values = [value for value in thing.values if value in there]
    counts = {(cell.row, cell.column): cell.count for cell in cells}
    given = {"pair": f"{pair.first}-{pair.second}"} if pair else {}

    def link(row: str, column: str) -> CellLink:
        count = counts.get((row, column), 0)
        url = f"?{urlencode(given | {'row': row, 'column': column})}#cases" if count else ""
        is_part = bool(pair) or values.index(row) <= values.index(column)
        return CellLink(count, url, row == column, is_part, (row, column) == (wanted.row, wanted.column))

    return AnswerTable(
        columns=[answer_word(thing, value) for value in values],
        rows=[
            AnswerTableRow(answer_word(thing, row), [link(row, column) for column in values])
            for row in values
        ],
        first=names.get(pair.first, "") if pair else "",
        second=names.get(pair.second, "") if pair else "",
    )


def _pair(pair: PairAgreed, names: Mapping[int, str]) -> PairRow:
    return PairRow(
        first=names.get(pair.first, ""),
        second=names.get(pair.second, ""),
        items=pair.items,
        share=f"{100 * pair.share:.0f} %",
        kappa=number(pair.kappa, PLACES),
        alpha=number(pair.alpha, PLACES),
        reason=pair.reason,
        url=f"?{urlencode({'pair': f'{pair.first}-{pair.second}'})}#table",
    )
