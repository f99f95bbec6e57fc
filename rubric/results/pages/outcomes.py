"""The comparisons of a set in one line each, and the subjects of their responses."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from rubric.core.scales import HIGHEST, LOWEST
from rubric.models import Comparison, ComparisonSet, Response
from rubric.results.core.ranking_uncertainty import (
    count_unanimous,
    find_open,
    leads,
    moves,
)
from rubric.results.core.whole_set import (
    ComparisonOutcome,
    Item,
    Scored,
    Subject,
    compute_outcomes,
    list_values,
)
from rubric.results.pages.words import NamedResponse, ResultsQuery, join_names, name_responses
from rubric.reviews.core.panel import Rankings
from workspace.core.limits import PAGE_SIZE
from workspace.core.text import one_line
from workspace.display.core.charts import compute_track_position

LONGEST_SHOWN = 160
# Letters that lie closer, in percent of the scale, cover each other.
APART = 7.0


# The name of each response within its comparison.
NamedResponses = dict[str, dict[str, NamedResponse]]


def load_set_responses(comparison_set: ComparisonSet) -> tuple[NamedResponses, dict[Item, str], bool]:
    """All responses of the set in one query: their names, their subjects across comparisons, whether by author.

    If nobody names an author, responses with the same key belong together.
    """
    found = Response.objects.filter(comparison__set=comparison_set).order_by("comparison__number", "number")
    values = list(found.values_list("comparison__number", "number", "key", "author", "word_count"))
    by_author = any(author for _comparison, _number, _key, author, _words in values)
    named_responses, subjects = {}, {}
    for comparison, several in groupby(values, key=lambda value: value[0]):
        responses = [row[1:] for row in several]
        named_responses[str(comparison)] = name_responses(responses)
        for number, key, author, _words in responses:
            name = author or (_("no author named") if by_author else key)
            if not by_author and key.isdecimal():
                name = _("Response %(number)s") % {"number": key}
            subjects[str(comparison), str(number)] = name
    return named_responses, subjects, by_author


def build_outcomes(
    comparison_set: ComparisonSet,
    scored: Sequence[Scored],
    whole: Sequence[Scored],
    named_responses: NamedResponses,
    asked: ResultsQuery,
    rankings: Mapping[str, Rankings],
    rounding: float,
    names: Mapping[Item, str],
    subjects: Sequence[Subject],
) -> dict[str, Any]:
    """One page of the comparisons, closest first; `whole` has means of complete reviews only, [] if weights are hidden.

    `rankings` are those of reviewers without a score that counts, by comparison. `subjects` are those of `names`,
    best first.
    """
    count = len(named_responses)
    pages = max(1, -(-count // PAGE_SIZE))
    page = min(asked.page, pages)
    first = PAGE_SIZE * (page - 1)
    grouped = {key: list(several) for key, several in groupby(scored, key=lambda score: score.comparison)}
    complete = {key: list(several) for key, several in groupby(whole, key=lambda score: score.comparison)}
    shown = _order(named_responses, scored)[first : first + PAGE_SIZE]
    questions = dict(
        Comparison.objects.filter(set=comparison_set, number__in=shown).values_list("number", "question")
    )
    letters = pick_letters([subject.name for subject in subjects])
    rows = [
        _outcome_row(
            number,
            questions[int(number)],
            grouped.get(number, []),
            complete.get(number, []),
            named_responses[number],
            asked.shares,
            rankings.get(number, {}),
            rounding,
        )
        | {"marks": place_marks(grouped.get(number, []), names, letters)}
        for number in shown
    ]
    return {"rows": rows, "letters": letters, "count": count, **_turn(asked, page, count)}


def _order(named_responses: NamedResponses, scored: Sequence[Scored]) -> list[str]:
    """The comparisons, closest first; those without a second response at the end."""
    gaps = {outcome.comparison: outcome.gap for outcome in compute_outcomes(scored)}
    return sorted(named_responses, key=lambda key: (gaps.get(key) is None, gaps.get(key) or 0, int(key)))


def _turn(asked: ResultsQuery, page: int, count: int) -> dict[str, str]:
    first, last = PAGE_SIZE * (page - 1) + 1, min(count, PAGE_SIZE * page)
    return {
        "previous": asked.query(page=page - 1 if page > 2 else "") if page > 1 else "",
        "next": asked.query(page=page + 1) if last < count else "",
        "says": _("%(first)d to %(last)d of %(count)d") % {"first": first, "last": last, "count": count},
    }


def pick_letters(names: Sequence[str]) -> dict[str, str]:
    """A mark for each name: its first letter, or its rank in `names` where two begin alike."""
    letters = [name[:1].upper() for name in names]
    is_plain = len(set(letters)) == len(letters) and all(letter.isalpha() for letter in letters)
    return {name: letters[at] if is_plain else str(at + 1) for at, name in enumerate(names)}


def place_marks(
    scored: Sequence[Scored], names: Mapping[Item, str], letters: Mapping[str, str]
) -> list[tuple[str, float, int, bool]]:
    """Of each response its letter, its place in percent of the scale, a line where no other covers it, and if first."""
    known = [
        (mean, letters[names[row.comparison, row.response]])
        for row in scored
        if (mean := row.mean) is not None
    ]
    best = max((mean for mean, _letter in known), default=None)
    ends: list[float] = []
    found = []
    for mean, letter in sorted(known):
        x = compute_track_position(float(mean), LOWEST, HIGHEST)
        line = next((at for at, end in enumerate(ends) if x - end >= APART), len(ends))
        ends[line : line + 1] = [x]
        found.append((letter, x, line, mean == best))
    return found


def _outcome_row(
    number: str,
    question: str,
    scored: Sequence[Scored],
    whole: Sequence[Scored],
    named_responses: Mapping[str, NamedResponse],
    shares: Mapping[str, Fraction],
    rankings: Rankings,
    rounding: float,
) -> dict[str, Any]:
    """The names of the first, its lead over the second if there is one, and `says`, the word for it.

    It `is_certain` only if it is ahead of all others.
    """
    outcome = next(iter(compute_outcomes(scored)), ComparisonOutcome(number, [], "", None, 0))
    values = list_values(scored)
    others = [
        score.response
        for score in scored
        if score.values and score.response not in (outcome.second, *outcome.first)
    ]
    rivals = [outcome.second, *others] if outcome.second else []
    found = leads(values, outcome.first[0], rivals, rounding) if rivals else []
    means = {score.response: score.criteria for score in whole if shares.keys() <= score.criteria.keys()}
    unanimous = count_unanimous(values, outcome.first[0], rankings) if len(outcome.first) == 1 else 0
    moved = moves(means, shares, outcome.first[0]) if outcome.first else []
    word = find_open(found).word if found else ""
    first = join_names(named_responses[key].name for key in outcome.first)
    return {
        "number": int(number),
        "question": one_line(question, LONGEST_SHOWN),
        "outcome": outcome,
        "is_certain": word == "ahead",
        "says": _say(first, word, unanimous),
        "is_fragile": any(move.is_fragile for move in moved),
    }


def _say(first: str, word: str, unanimous: int) -> str:
    """Who is first, and whether that can be told; "" without a score."""
    if word == "tie":
        return _("%(names)s, a tie") % {"names": first}
    if unanimous:
        return _("%(name)s first for all %(n)d") % {"name": first, "n": unanimous}
    if not word:
        return first
    said = {"ahead": _("%(name)s first"), "level": _("%(name)s first, level")}.get(
        word, _("%(name)s first, unclear")
    )
    return said % {"name": first}
