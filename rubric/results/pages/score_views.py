"""The same reviews in four views: means, mean ranks, z-normalised, crossed random effects."""

from collections import Counter
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct, structs

from rubric.results.core.rater_scales import Rating, calibrate, crossed_effects, design_problem
from rubric.results.core.whole_set import Item, Scored, Subject, list_ratings, view_means
from rubric.results.pages.words import rank_by_value, two


class ViewCell(Struct, frozen=True):
    """What one view gives one subject: its figure and rank; `is_changed` if the rank differs from that by means."""

    text: str
    place: int | None
    is_changed: bool


class ViewRow(Struct, frozen=True):
    """One subject in every view that is offered."""

    name: str
    cells: list[ViewCell]


class ViewsPart(Struct, frozen=True):
    """The table of views, a sentence for each on what changes, and why a view is not offered."""

    heads: list[str]
    rows: list[ViewRow]
    changes: list[str]
    reasons: list[str]


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
) -> ViewsPart:
    """All views of the subjects that have a mean; `reviewers` are their names, by key."""
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
    reasons = []
    for head, found in ((_("z-normalised"), _z(ratings)), (_("Crossed random effects"), _crossed(ratings))):
        if isinstance(found, str):
            reasons.append(_("%(view)s is not offered: %(reason)s") % {"view": head, "reason": found})
        else:
            views.append(_view(head, view_means(found, names)))
    base = rank_by_value(means.ranks)
    places = [rank_by_value(view.ranks) for view in views]
    return ViewsPart(
        heads=[view.head for view in views],
        rows=[ViewRow(subject.name, [_cell(view, at, base, subject.name)
 for view, at in zip(views, places, strict=True)])
              for subject in seen],
        changes=[_change(view.head, at, base) for view, at in zip(views[1:], places[1:], strict=True)],
        reasons=reasons,
    )  # fmt: skip


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


def _z(ratings: Sequence[Rating]) -> Mapping[str, float] | str:
    problem = design_problem(ratings)
    return problem or calibrate(ratings).items


def _crossed(ratings: Sequence[Rating]) -> Mapping[str, float] | str:
    found = crossed_effects(ratings)
    return found if isinstance(found, str) else found.items


def _named(ratings: Sequence[Rating], reviewers: Mapping[str, str]) -> list[Rating]:
    """The ratings with names of reviewers, since reasons name them; keys distinguish reviewers of the same name."""
    counts = Counter(reviewers.values())
    shown = {key: name if counts[name] == 1 else f"{name} ({key})" for key, name in reviewers.items()}
    return [structs.replace(rating, reviewer=shown[rating.reviewer]) for rating in ratings]


def _cell(view: View, places: Mapping[str, int], base: Mapping[str, int], name: str) -> ViewCell:
    place = places.get(name)
    return ViewCell(view.texts.get(name, ""), place, place is not None and place != base[name])


def _change(head: str, places: Mapping[str, int], base: Mapping[str, int]) -> str:
    changed = sum(places[name] != base[name] for name in places)
    return _("%(view)s: %(n)d of %(all)d change rank.") % {"view": head, "n": changed, "all": len(places)}
