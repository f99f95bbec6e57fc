"""The results page of one comparison: ranking, uncertainty, what would change it, and every review behind it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from rubric.core.records import BOTH, HOLISTIC, PARTIAL, RUBRIC
from rubric.core.scales import Scales
from rubric.models import Comparison, Response, Review
from rubric.results.core.ranking_uncertainty import compute_rounding
from rubric.results.core.what_if import TriedWeights
from rubric.results.pages.panel import PanelPart, build_panel
from rubric.results.pages.reviews import (
    NO_SCORES,
    ReviewContext,
    build_review,
    build_score_table,
    load_submitted_reviews,
    select_newest,
)
from rubric.results.pages.weights import build_weights_part, build_what_if
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


def build_comparison_page(
    *, comparison: Comparison, asked: ResultsQuery, tried: TriedWeights, person: Person
) -> dict[str, Any]:
    """The page of a comparison fetched with its set; `tried` are the weights of the form.

    `weights` and `what_if` are None for a viewer who may not see weights.
    """
    comparison_set, mode = comparison.set, comparison.set.mode
    responses = list(comparison.responses.order_by("number"))
    named_responses = _name_responses(responses)
    reviews, reviewed = load_submitted_reviews(comparison), _reviewed(comparison)
    kinds = {BOTH: (RUBRIC, HOLISTIC)}.get(mode, (mode,))
    scales = comparison_set.rubric_version.to_record().scales
    panels = _build_panels(reviewed, asked, named_responses, kinds, scales)
    is_lead = may(check_open_set, person, comparison_set.project)
    sees = RUBRIC in kinds and may(check_see_weights, person)
    context = ReviewContext(
        named_responses=named_responses,
        criteria=[] if mode == HOLISTIC else asked.criteria,
        shares=asked.shares,
        names=reviewer_names(comparison_set, person, is_lead=is_lead),
        numbers={response.pk: str(response.number) for response in responses},
        own_shown=_own_shown(comparison, person, is_lead=is_lead),
        scales=scales,
    )
    return {
        "number": comparison.number,
        "question": comparison.question,
        "previous": comparison.number - 1,
        "next": comparison.number + 1 if comparison.number < comparison_set.comparisons.count() else 0,
        "asked": asked,
        "choices": list_version_options(comparison_set) if sees else [],
        "panels": panels,
        "changes": _changes(panels[: len(kinds)], named_responses),
        "notes": _notes(panels[0].found, reviews, context, asked),
        "left_out_count": len(panels[0].found.left_out),
        "texts": [_text(response, named_responses[str(response.number)], asked) for response in responses],
        "weights": build_weights_part(reviewed, asked, named_responses, panels[0].first) if sees else None,
        "what_if": build_what_if(reviewed, asked, tried, named_responses, panels[0].found) if sees else None,
        "criteria": context.criteria,
        "table": build_score_table(reviews, context),
        "reviews": [build_review(review, context, reviews) for review in reviews],
    }


def build_what_if_part(*, comparison: Comparison, asked: ResultsQuery, tried: TriedWeights) -> dict[str, Any]:
    """Only the ranking under other weights, for a form in which a weight is being changed."""
    responses = list(comparison.responses.defer("text").order_by("number"))
    named_responses, reviewed = _name_responses(responses), _reviewed(comparison)
    judgements = [review.to_judgement(asked.shares) for review in reviewed]
    before = build_panel(judgements, named_responses, kind=RUBRIC, with_incomplete=asked.with_incomplete)
    return build_what_if(reviewed, asked, tried, named_responses, before.found)


def _name_responses(responses: Sequence[Response]) -> dict[str, NamedResponse]:
    return name_responses(
        (response.number, response.key, response.author, response.word_count) for response in responses
    )


def _build_panels(
    reviewed: Sequence[Reviewed],
    asked: ResultsQuery,
    named_responses: Mapping[str, NamedResponse],
    kinds: Sequence[str],
    scales: Scales,
) -> list[PanelPart]:
    """The rankings by each kind of score that was asked for.

    If only criteria were, there is a separate one from reviewers who gave a holistic score alone.
    """

    def build(judgements: Sequence[PanelScore], kind: str, **given: Any) -> PanelPart:
        rounding = compute_rounding(to_rows(reviewed), asked.shares, scales, kind=kind)
        return build_panel(judgements, named_responses, kind=kind, rounding=rounding, **given)

    judgements = [review.to_judgement(asked.shares) for review in reviewed]
    given: Any = {"with_incomplete": asked.with_incomplete, "rankings": _rankings(reviewed, kinds[0])}
    panels = [build(judgements, kind, **given) for kind in kinds]
    names = panels[0].found.fallbacks
    if len(panels) == 1 and names:
        others = [judgement for judgement in judgements if judgement.reviewer in names]
        panels.append(build(others, HOLISTIC, with_incomplete=False, is_fallback=True))
    return panels


def _rankings(reviewed: Sequence[Reviewed], kind: str) -> Rankings:
    """The rankings that count if scores of that kind do not, by reviewer."""
    return next(iter(load_rankings(reviewed, kind=kind).values()), {})


def _reviewed(comparison: Comparison) -> list[Reviewed]:
    found = load_reviewed(comparison.set, comparison=comparison.number)
    return sorted(found, key=lambda review: (review.response, review.reviewer))


def _text(response: Response, named_response: NamedResponse, asked: ResultsQuery) -> dict[str, Any]:
    """The text of one response, or its beginning."""
    is_cut = len(response.text) > CUT and asked.whole != response.number
    text = response.text[:CUT] if is_cut else response.text
    return {"response": named_response, "text": text, "is_cut": is_cut}


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


# What does not count, or counts in another way than the rest, with the reason.
NOTES: dict[str, Any] = {
    "fallbacks": gettext_lazy(
        "Only a holistic score came from %(names)s where criteria were asked for. It is never averaged with "
        "overalls."
    ),
    "ranked_only": gettext_lazy(
        "Only the ranking of %(names)s counts, in the mean ranks; no score of theirs does."
    ),
    "without_whole": gettext_lazy(
        "Scores of %(names)s are by criterion alone. They do not count here: a holistic score was asked for."
    ),
    "left_out": ngettext_lazy(
        "%(n)d incomplete judgement is left out.", "%(n)d incomplete judgements are left out.", "n"
    ),
    "incomplete": gettext_lazy(
        "Incomplete judgements count: they are divided by the weights of the criteria that were scored."
    ),
    "silent": gettext_lazy("No scores came from %(names)s: declined, or unreadable."),
    "own": gettext_lazy("Judgements of own responses do not count: %(names)s."),
    "others": ngettext_lazy(
        "%(n)d reviewer's own response does not count in their review.",
        "Own responses of %(n)d reviewers do not count in their reviews.",
        "n",
    ),
    "not_blind": ngettext_lazy(
        "%(n)d review is not blind: its reviewer could see answers or results of this set before.",
        "%(n)d reviews are not blind: their reviewers could see answers or results of this set before.",
        "n",
    ),
}


def _notes(found: Panel, reviews: Sequence[Review], context: ReviewContext, asked: ResultsQuery) -> list[str]:
    """One sentence for each thing that does not count. Other reviewers see no name of who wrote a response."""
    newest = select_newest(reviews)
    own = _own_judgements(found, context) + _not_shown(newest, context)
    shown = [text for reviewer, text in own if context.own_shown(reviewer)]
    is_counted = asked.with_incomplete and found.kind == RUBRIC and not found.left_out
    told: dict[str, list[str] | int] = {
        "fallbacks": [context.names[key] for key in found.fallbacks],
        "ranked_only": [context.names[key] for key in found.ranked_only],
        "without_whole": _without_whole(newest, context) if found.kind == HOLISTIC else [],
        "left_out": len(found.left_out),
        "incomplete": int(is_counted),
        "silent": [context.names[str(row.reviewer_id)] for row in newest if row.mode in NO_SCORES],
        "own": shown,
        "others": len(own) - len(shown),
        "not_blind": sum(not review.is_blind for review in newest),
    }
    return [
        NOTES[key] % ({"n": who} if isinstance(who, int) else {"names": join_names(who)})
        for key, who in told.items()
        if who
    ]


def _own_shown(comparison: Comparison, person: Person, *, is_lead: bool) -> Callable[[str], bool]:
    """Leads see who wrote which response; a reviewer sees only which are their own."""
    if is_lead:
        return lambda _reviewer: True
    mine = {str(key) for key in comparison.set.reviewers.filter(person=person).values_list("pk", flat=True)}
    return mine.__contains__


def _without_whole(reviews: Sequence[Review], context: ReviewContext) -> list[str]:
    """Reviewers who scored only criteria although a holistic score was asked for."""
    return [
        context.names[str(review.reviewer_id)]
        for review in reviews
        if review.mode in (RUBRIC, PARTIAL) and all(row.holistic is None for row in review.reviewed.all())
    ]


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
