"""The same reviews in four views: means, mean ranks, z-normalised, crossed random effects."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct, structs

from rubric.results.core.rater_scales import Rating, calibrate, crossed_effects, design_problem
from rubric.results.core.whole_set import Item, Scored, Subject, list_ratings, view_means
from rubric.results.pages.words import rank_by_value, two


class View(Struct, frozen=True):
    """One way to see the set: the value that ranks each subject, the higher the better, and the texts of the view."""

    head: str
    ranks: dict[str, float]
    texts: dict[str, str]


def build_views(
    scored: Sequence[Scored],
    subjects: Sequence[Subject],
    names: Mapping[Item, str],
    reviewers: Mapping[str, str],
    *,
    with_holistic: bool,
) -> dict[str, Any]:
    """The table of views of the subjects that have a mean; `reviewers` are their names, by key.

    `changes` holds a sentence for each view on what changes, `reasons` why a view is not offered.
    """
    seen = [subject for subject in subjects if subject.mean is not None]
    means = _view(_("Mean"), {subject.name: float(subject.mean or 0) for subject in seen})
    views = [means, _by_places(seen)]
    if with_holistic:
        views.append(
            _view(
                _("Holistic"),
                {subject.name: float(subject.holistic) for subject in seen if subject.holistic is not None},
            )
        )
    ratings = _named(list_ratings(scored), reviewers)
    crossed, reasons = crossed_effects(ratings), []
    for head, found in (
        (_("z-normalised"), design_problem(ratings) or calibrate(ratings).items),
        (_("Crossed random effects"), crossed if isinstance(crossed, str) else crossed.items),
    ):
        if isinstance(found, str):
            reasons.append(_("%(view)s is not offered: %(reason)s") % {"view": head, "reason": found})
        else:
            views.append(_view(head, view_means(found, names)))
    base = rank_by_value(means.ranks)
    places = [rank_by_value(view.ranks) for view in views]
    return {
        "heads": [view.head for view in views],
        "rows": [{"name": row.name, "cells": _cells(views, places, base, row.name)} for row in seen],
        "changes": [_change(view.head, at, base) for view, at in zip(views[1:], places[1:], strict=True)],
        "reasons": reasons,
    }


def _view(head: str, values: Mapping[str, float]) -> View:
    return View(
        head,
        {name: round(value, 9) for name, value in values.items()},
        {name: two(value) for name, value in values.items()},
    )


def _by_places(subjects: Sequence[Subject]) -> View:
    placed = {subject.name: subject.mean_rank for subject in subjects if subject.mean_rank is not None}
    return View(
        _("Mean rank"),
        {name: -float(place) for name, place in placed.items()},
        {name: two(place) for name, place in placed.items()},
    )


def _named(ratings: Sequence[Rating], reviewers: Mapping[str, str]) -> list[Rating]:
    """The ratings with names of reviewers, since reasons name them; keys distinguish reviewers of the same name."""
    counts = Counter(reviewers.values())
    shown = {key: name if counts[name] == 1 else f"{name} ({key})" for key, name in reviewers.items()}
    return [structs.replace(rating, reviewer=shown[rating.reviewer]) for rating in ratings]


def _cells(
    views: Sequence[View], places: Sequence[Mapping[str, int]], base: Mapping[str, int], name: str
) -> list[dict[str, Any]]:
    return [
        {
            "text": view.texts.get(name, ""),
            "place": at.get(name),
            "is_changed": name in at and at[name] != base[name],
        }
        for view, at in zip(views, places, strict=True)
    ]


def _change(head: str, places: Mapping[str, int], base: Mapping[str, int]) -> str:
    changed = sum(places[name] != base[name] for name in places)
    return _("%(view)s: %(n)d of %(all)d change rank.") % {"view": head, "n": changed, "all": len(places)}
