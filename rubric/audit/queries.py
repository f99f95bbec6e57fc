"""The subjects of audit lines about comparisons and rubrics: their names and pages."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from rubric.models import ComparisonSet, Mark, Review, RubricVersion, Survey
from workspace.audit.queries import Namer, Objects, Thing
from workspace.models import Project

# Kind -> model, and the lookup path from it to its comparison.
OF_COMPARISONS: dict[str, tuple[Any, str]] = {
    "review": (Review, "comparison"),
    "mark": (Mark, "review__comparison"),
    "survey": (Survey, "comparison"),
}


def _name_sets(project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    rows = ComparisonSet.objects.filter(project=project, pk__in=keys)
    return {
        key: Thing(
            _("comparison set %(number)d") % {"number": number},
            reverse("comparison_set", args=[project.slug, number]) if project else "",
        )
        for key, number in rows.values_list("pk", "number")
    }


def _name_by_comparison(kind: str) -> Namer:
    model, way = OF_COMPARISONS[kind]

    def name(project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
        rows = model.objects.filter(pk__in=keys, **{f"{way}__set__project": project})
        return {
            key: Thing(
                _("comparison %(number)d of set %(set)d") % {"number": number, "set": comparison_set},
                reverse("comparison_set", args=[project.slug, comparison_set]) if project else "",
            )
            for key, number, comparison_set in rows.values_list("pk", f"{way}__number", f"{way}__set__number")
        }

    return name


def _name_versions(_project: Project | None, keys: Collection[int]) -> Mapping[int, Thing]:
    rows = RubricVersion.objects.filter(pk__in=keys).select_related("rubric")
    return {
        row.pk: Thing(
            _("version %(number)s of the rubric %(name)s") % {"number": row.number, "name": row.rubric.key},
            reverse("rubric_version", args=[row.rubric.key, row.number]),
        )
        for row in rows
    }


def _about_set(project: Project, number: int) -> Mapping[str, "QuerySet[Any]"]:
    sets = ComparisonSet.objects.filter(project=project, number=number)
    rest = {
        kind: model.objects.filter(**{f"{way}__set__in": sets})
        for kind, (model, way) in OF_COMPARISONS.items()
    }
    return {"comparison_set": sets, **rest}


OBJECTS = Objects(
    namers={
        "comparison_set": _name_sets,
        **{kind: _name_by_comparison(kind) for kind in OF_COMPARISONS},
        "rubric_version": _name_versions,
    },
    about={"comparison_set": _about_set},
)
