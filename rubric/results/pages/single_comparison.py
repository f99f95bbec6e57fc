"""The results page of one comparison: ranking, uncertainty, what would change it, and every review behind it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from rubric.core.records import BOTH, HOLISTIC, PARTIAL, RUBRIC, Criterion
from rubric.models import Comparison, Response, Review
from rubric.results.core.ranking_uncertainty import criterion_means
from rubric.results.core.what_if import TriedWeights
from rubric.results.pages.panel import PanelPart, build_panel
from rubric.results.pages.reviews import (
    NO_SCORES,
    ReviewContext,
    ReviewPart,
    ScoreTable,
    build_review,
    build_score_table,
    load_submitted_reviews,
    select_newest,
)
from rubric.results.pages.weights import WeightsPart, WhatIf, build_weights_part, build_what_if
from rubric.results.pages.words import (
    NamedResponse,
    ResultsQuery,
    join_names,
    list_version_options,
    name_responses,
    rank_by_value,
)
from rubric.reviews.core.panel import Panel, PanelScore, Rankings
from rubric.reviews.permissions import check_open_set
from rubric.reviews.queries import Reviewed, load_rankings, load_reviewed, reviewer_names, to_rows
from rubric.versions.permissions import check_see_weights
from workspace.access.permissions import may
from workspace.models import Person

CUT = 3000


class Text(Struct, frozen=True):
    """The text of one response, or its beginning."""

    response: NamedResponse
    text: str
    is_cut: bool


class ComparisonPage(Struct, frozen=True):
    """Everything that the page shows. `weights` and `what_if` are None for a viewer who may not see weights."""

    number: int
    question: str
    previous: int
    next: int
    asked: ResultsQuery
    choices: list[tuple[str, str]]
    panels: list[PanelPart]
    changes: str
    notes: list[str]
    left_out_count: int
    texts: list[Text]
    weights: WeightsPart | None
    what_if: WhatIf | None
    criteria: Sequence[Criterion]
    table: ScoreTable
    reviews: list[ReviewPart]


def build_comparison_page(
    *, comparison: Comparison, asked: ResultsQuery, tried: TriedWeights, person: Person
) -> ComparisonPage:
    """The page of a comparison fetched with its set; `tried` are the weights of the form."""
    comparison_set, mode = comparison.set, comparison.set.mode
    responses = list(comparison.responses.order_by("number"))
    named_responses = _name_responses(responses)
    reviews, reviewed = load_submitted_reviews(comparison), _reviewed(comparison)
    judgements = _judgements(reviewed, asked)
    kinds = {BOTH: (RUBRIC, HOLISTIC)}.get(mode, (mode,))
    given: Any = {"with_incomplete": asked.with_incomplete, "rankings": _rankings(reviewed, kinds[0])}
    panels = [build_panel(judgements, named_responses, kind=kind, **given) for kind in kinds]
    names = names_by_reviewer(comparison, person)
    sees = RUBRIC in kinds and may(check_see_weights, person)
    context = ReviewContext(
        named_responses=named_responses,
        criteria=[] if mode == HOLISTIC else asked.criteria,
        shares=asked.shares,
        names=names,
        numbers={response.pk: str(response.number) for response in responses},
        own_shown=_own_shown(comparison, person),
        scales=comparison_set.rubric_version.to_record().scales,
    )
    return ComparisonPage(
        number=comparison.number,
        question=comparison.question,
        previous=comparison.number - 1,
        next=comparison.number + 1 if comparison.number < comparison_set.comparisons.count() else 0,
        asked=asked,
        choices=list_version_options(comparison_set) if sees else [],
        panels=panels + _fallback_panel(judgements, named_responses, panels),
        changes=_changes(panels, named_responses),
        notes=_notes(panels[0].found, reviews, context, asked),
        left_out_count=len(panels[0].found.left_out),
        texts=[_text(response, named_responses[str(response.number)], asked) for response in responses],
        weights=_weights(reviewed, named_responses, asked, panels[0]) if sees else None,
        what_if=_what_if(reviewed, named_responses, asked, tried, panels[0].found) if sees else None,
        criteria=context.criteria,
        table=build_score_table(reviews, context),
        reviews=[build_review(review, context, reviews) for review in reviews],
    )


def build_what_if_part(*, comparison: Comparison, asked: ResultsQuery, tried: TriedWeights) -> WhatIf:
    """Only the ranking under other weights, for a form in which a weight is being changed."""
    responses = list(comparison.responses.defer("text").order_by("number"))
    named_responses, reviewed = _name_responses(responses), _reviewed(comparison)
    before = build_panel(
        _judgements(reviewed, asked), named_responses, kind=RUBRIC, with_incomplete=asked.with_incomplete
    )
    return _what_if(reviewed, named_responses, asked, tried, before.found)


def names_by_reviewer(comparison: Comparison, person: Person) -> dict[str, str]:
    """The names that the person sees for the reviewers of the set, by the reviewers' keys."""
    comparison_set = comparison.set
    is_lead = may(check_open_set, person, comparison_set.project)
    return reviewer_names(comparison_set, person, is_lead=is_lead)


def _name_responses(responses: Sequence[Response]) -> dict[str, NamedResponse]:
    return name_responses(
        (response.number, response.key, response.author, response.word_count) for response in responses
    )


def _fallback_panel(
    judgements: Sequence[PanelScore],
    named_responses: Mapping[str, NamedResponse],
    panels: Sequence[PanelPart],
) -> list[PanelPart]:
    """A separate ranking from reviewers who gave only a holistic score where only criteria were asked for."""
    names = panels[0].found.fallbacks
    if len(panels) > 1 or not names:
        return []
    given = [judgement for judgement in judgements if judgement.reviewer in names]
    return [build_panel(given, named_responses, kind=HOLISTIC, with_incomplete=False, is_fallback=True)]


def _rankings(reviewed: Sequence[Reviewed], kind: str) -> Rankings:
    """The rankings that count if scores of that kind do not, by reviewer."""
    return next(iter(load_rankings(reviewed, kind=kind).values()), {})


def _reviewed(comparison: Comparison) -> list[Reviewed]:
    found = load_reviewed(comparison.set, comparison=comparison.number)
    return sorted(found, key=lambda review: (review.response, review.reviewer))


def _judgements(reviewed: Sequence[Reviewed], asked: ResultsQuery) -> list[PanelScore]:
    shares = asked.shares
    return [review.to_judgement(shares) for review in reviewed]


def _weights(
    reviewed: Sequence[Reviewed],
    named_responses: Mapping[str, NamedResponse],
    asked: ResultsQuery,
    part: PanelPart,
) -> WeightsPart:
    means = criterion_means(to_rows(reviewed), asked.shares)
    return build_weights_part(means, asked.shares, named_responses, asked.criteria, part.first)


def _what_if(
    reviewed: Sequence[Reviewed],
    named_responses: Mapping[str, NamedResponse],
    asked: ResultsQuery,
    tried: TriedWeights,
    before: Panel,
) -> WhatIf:
    judgements = [review.to_judgement(tried.shares) for review in reviewed] if tried.shares else []
    places = {
        standing.response: standing.place for standing in before.standings if standing.place is not None
    }
    return build_what_if(
        tried, judgements, places, named_responses, asked.criteria, with_incomplete=asked.with_incomplete
    )


def _text(response: Response, named_response: NamedResponse, asked: ResultsQuery) -> Text:
    is_cut = len(response.text) > CUT and asked.whole != response.number
    return Text(named_response, response.text[:CUT] if is_cut else response.text, is_cut)


def _changes(panels: Sequence[PanelPart], named_responses: Mapping[str, NamedResponse]) -> str:
    """Which ranks differ by holistic score, if there are both kinds of score; else ""."""
    if len(panels) < 2:
        return ""
    here, there = (
        rank_by_value({standing.response: standing.mean for standing in part.found.standings})
        for part in panels
    )
    if not here or not there:
        return ""
    changed = [key for key in here if key in there and here[key] != there[key]]
    if not changed:
        return _("The holistic scores give the same order as the overall.")
    parts = [
        _("%(name)s: %(there)d instead of %(here)d")
        % {"name": named_responses[key].name, "there": there[key], "here": here[key]}
        for key in changed
    ]
    return _("The holistic scores give other ranks: %(parts)s.") % {"parts": join_names(parts)}


def _notes(found: Panel, reviews: Sequence[Review], context: ReviewContext, asked: ResultsQuery) -> list[str]:
    """One sentence for each thing that does not count, with the reason."""
    notes = []
    newest = select_newest(reviews)
    silent = [context.names[str(review.reviewer_id)] for review in newest if review.mode in NO_SCORES]
    if found.fallbacks:
        said = _(
            "Only a holistic score came from %(names)s where criteria were asked for. It is never averaged with "
            "overalls."
        )
        notes.append(said % {"names": join_names(context.names[key] for key in found.fallbacks)})
    if found.ranked_only:
        said = _("Only the ranking of %(names)s counts, in the mean ranks; no score of theirs does.")
        notes.append(said % {"names": join_names(context.names[key] for key in found.ranked_only)})
    notes += _without_whole(newest, context) if found.kind == HOLISTIC else []
    if found.left_out:
        said = ngettext(
            "%(n)d incomplete judgement is left out.",
            "%(n)d incomplete judgements are left out.",
            len(found.left_out),
        )
        notes.append(said % {"n": len(found.left_out)})
    elif asked.with_incomplete and found.kind == RUBRIC:
        notes.append(
            _(
                "Incomplete judgements count: they are divided by the weights of the criteria that were scored."
            )
        )
    if silent:
        notes.append(
            _("No scores came from %(names)s: declined, or unreadable.") % {"names": join_names(silent)}
        )
    return notes + _own_notes(found, newest, context) + _not_blind(newest)


def _own_shown(comparison: Comparison, person: Person) -> Callable[[str], bool]:
    """Leads see who wrote which response; a reviewer sees only which are their own."""
    if may(check_open_set, person, comparison.set.project):
        return lambda _reviewer: True
    mine = {str(key) for key in comparison.set.reviewers.filter(person=person).values_list("pk", flat=True)}
    return mine.__contains__


def _own_notes(found: Panel, newest: Sequence[Review], context: ReviewContext) -> list[str]:
    """Notes on which responses reviewers wrote themselves; other reviewers see no name."""
    named = _own_judgements(found, context) + _not_shown(newest, context)
    shown = [text for reviewer, text in named if context.own_shown(reviewer)]
    notes = []
    if shown:
        said = _("Judgements of own responses do not count: %(names)s.")
        notes.append(said % {"names": join_names(shown)})
    others = len(named) - len(shown)
    if others:
        said = ngettext(
            "%(n)d reviewer's own response does not count in their review.",
            "Own responses of %(n)d reviewers do not count in their reviews.",
            others,
        )
        notes.append(said % {"n": others})
    return notes


def _not_blind(reviews: Sequence[Review]) -> list[str]:
    count = sum(not review.is_blind for review in reviews)
    if not count:
        return []
    said = ngettext(
        "%(n)d review is not blind: its reviewer could see answers or results of this set before.",
        "%(n)d reviews are not blind: their reviewers could see answers or results of this set before.",
        count,
    )
    return [said % {"n": count}]


def _without_whole(reviews: Sequence[Review], context: ReviewContext) -> list[str]:
    """Reviewers who scored only criteria although a holistic score was asked for."""
    names = [
        context.names[str(review.reviewer_id)]
        for review in reviews
        if review.mode in (RUBRIC, PARTIAL) and all(row.holistic is None for row in review.reviewed.all())
    ]
    if not names:
        return []
    said = _(
        "Scores of %(names)s are by criterion alone. They do not count here: a holistic score was asked for."
    )
    return [said % {"names": join_names(names)}]


def _own_judgements(found: Panel, context: ReviewContext) -> list[tuple[str, str]]:
    said = _("%(reviewer)s (%(response)s)")
    return [
        (
            own.reviewer,
            said
            % {
                "reviewer": context.names[own.reviewer],
                "response": context.named_responses[own.response].name,
            },
        )
        for own in found.own
    ]


def _not_shown(reviews: Sequence[Review], context: ReviewContext) -> list[tuple[str, str]]:
    """The keys of reviewers who were not shown their own responses, each with the text of the note."""
    found = []
    for review in reviews:
        hidden = [
            named_response.name
            for named_response in context.named_responses.values()
            if named_response.number not in review.order
        ]
        if hidden:
            reviewer = context.names[str(review.reviewer_id)]
            said = _("%(reviewer)s (%(response)s, not shown)")
            text = said % {"reviewer": reviewer, "response": join_names(hidden)}
            found.append((str(review.reviewer_id), text))
    return found
