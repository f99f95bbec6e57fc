"""The same reviews in four views: means, mean ranks, z-normalised, crossed random effects."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from msgspec import structs

from rubric.results.core.rater_scales import Rating, calibrate, crossed_effects, design_problem
from rubric.results.core.whole_set import Item, Scored, Subject, list_ratings, view_means
from rubric.results.pages.words import rank_by_value, two

# One way to see the set: its head, and for each subject the value that ranks it, the higher the better, and its text.
View = tuple[str, dict[str, float], dict[str, str]]


def build_views(
    scored: Sequence[Scored],
    subjects: Sequence[Subject],
    names: Mapping[Item, str],
    reviewers: Mapping[str, str],
    *,
    with_holistic: bool,
) -> dict[str, Any]:
    """The table of views of the subjects that have a mean; `reviewers` are their names, by key.

    `rows` are (name, rank by means, [(figure, rank)] by view).
    `changes` holds a sentence for each view on what changes, `reasons` why a view is not offered.
    """
    seen = [subject for subject in subjects if subject.mean is not None]
    means = _view(_("Mean"), {subject.name: float(subject.mean or 0) for subject in seen})
    placed = {subject.name: subject.mean_rank for subject in seen if subject.mean_rank is not None}
    views = [means, _view(_("Mean rank"), placed, sign=-1)]
    if with_holistic:
        holistic = {subject.name: float(subject.holistic) for subject in seen if subject.holistic is not None}
        views.append(_view(_("Holistic"), holistic))
    ratings = _named(list_ratings(scored), reviewers)
    crossed, reasons = crossed_effects(ratings), []
    for head, found in (
        (_("z-normalised"), design_problem(ratings) or calibrate(ratings)),
        (_("Crossed random effects"), crossed if isinstance(crossed, str) else crossed[0]),
    ):
        if isinstance(found, str):
            reasons.append(_("%(view)s is not offered: %(reason)s") % {"view": head, "reason": found})
        else:
            views.append(_view(head, view_means(found, names)))
    base = rank_by_value(means[1])
    placed_by = [(head, texts, rank_by_value(ranks)) for head, ranks, texts in views]
    return {
        "heads": [head for head, _texts, _places in placed_by],
        "rows": [
            (name, place, [(texts.get(name, ""), at.get(name)) for _head, texts, at in placed_by])
            for name, place in ((row.name, base[row.name]) for row in seen)
        ],
        "changed": [head for head, _texts, places in placed_by[1:] if places != base],
        "changes": [_change(head, places, base) for head, _texts, places in placed_by[1:]],
        "reasons": reasons,
    }


def _view(head: str, values: Mapping[str, Fraction | float], sign: int = 1) -> View:
    ranks = {name: round(sign * float(value), 9) for name, value in values.items()}
    return head, ranks, {name: two(value) for name, value in values.items()}


def _named(ratings: Sequence[Rating], reviewers: Mapping[str, str]) -> list[Rating]:
    """The ratings with names of reviewers, since reasons name them; keys distinguish reviewers of the same name."""
    counts = Counter(reviewers.values())
    shown = {key: name if counts[name] == 1 else f"{name} ({key})" for key, name in reviewers.items()}
    return [structs.replace(rating, reviewer=shown[rating.reviewer]) for rating in ratings]


def _change(head: str, places: Mapping[str, int], base: Mapping[str, int]) -> str:
    changed = sum(places[name] != base[name] for name in places)
    return _("%(view)s: %(n)d of %(all)d change rank.") % {"view": head, "n": changed, "all": len(places)}
