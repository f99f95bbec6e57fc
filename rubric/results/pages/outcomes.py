"""The comparisons of a set in one line each, and the subjects of their responses."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from rubric.models import Comparison, ComparisonSet, Response
from rubric.results.core.ranking_uncertainty import (
    compute_unanimity,
    count_unanimous,
    find_open,
    leads,
    moves,
)
from rubric.results.core.whole_set import ComparisonOutcome, Item, Scored, compute_outcomes, list_values
from rubric.results.pages.words import NamedResponse, ResultsQuery, join_names, lead_text, name_responses
from rubric.reviews.core.panel import Rankings
from workspace.core.limits import PAGE_SIZE
from workspace.core.text import one_line

LONGEST_SHOWN = 160


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
) -> dict[str, Any]:
    """One page of the comparisons; `whole` holds means of complete reviews only, [] if weights are hidden.

    `rankings` are those of reviewers without a score that counts, by comparison.
    """
    count = len(named_responses)
    pages = max(1, -(-count // PAGE_SIZE))
    page = min(asked.page, pages)
    first = PAGE_SIZE * (page - 1)
    shown = Comparison.objects.filter(set=comparison_set, number__gt=first, number__lte=first + PAGE_SIZE)
    questions = dict(shown.order_by("number").values_list("number", "question"))
    grouped = {key: list(several) for key, several in groupby(scored, key=lambda score: score.comparison)}
    complete = {key: list(several) for key, several in groupby(whole, key=lambda score: score.comparison)}
    rows = [
        _outcome_row(
            number,
            question,
            grouped.get(str(number), []),
            complete.get(str(number), []),
            named_responses[str(number)],
            asked.shares,
            rankings.get(str(number), {}),
            rounding,
        )
        for number, question in questions.items()
    ]
    last = min(count, first + PAGE_SIZE)
    return {
        "rows": rows,
        "previous": asked.query(page=page - 1 if page > 2 else "") if page > 1 else "",
        "next": asked.query(page=page + 1) if page < pages else "",
        "says": _("%(first)d to %(last)d of %(count)d") % {"first": first + 1, "last": last, "count": count},
    }


def _outcome_row(
    number: int,
    question: str,
    scored: Sequence[Scored],
    whole: Sequence[Scored],
    named_responses: Mapping[str, NamedResponse],
    shares: Mapping[str, Fraction],
    rankings: Rankings,
    rounding: float,
) -> dict[str, Any]:
    """The names of the first, its lead over the second if there is one, and `says`, the word for it.

    It is called ahead only if it is ahead of all others.

    Where all reviewers put the first response first, `says` tells how often chance alone does that.
    """
    outcome = next(iter(compute_outcomes(scored)), ComparisonOutcome(str(number), [], "", None, 0))
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
    return {
        "number": number,
        "question": one_line(question, LONGEST_SHOWN),
        "first": join_names(named_responses[key].name for key in outcome.first),
        "outcome": outcome,
        "lead": found[0] if found else None,
        "says": lead_text(
            find_open(found) if found else None, unanimous, compute_unanimity(values, rankings)
        ),
        "is_fragile": any(move.is_fragile for move in moved),
    }
