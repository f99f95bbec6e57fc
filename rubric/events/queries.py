"""The subjects of audit lines about comparisons and rubrics: their names and pages."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from rubric.models import ComparisonSet, Mark, Review, RubricVersion, Survey
from workspace.audit.queries import Kind


def _of_comparison(model: Any, path: str) -> Kind:
    words, fields = _("comparison %(number)d of set %(set)d"), f"number:{path}number set:{path}set__number"
    page, project = "comparison_set", f"{path}set__project"
    return Kind(model, words, page, "slug set", fields, project, "comparison_set")


KINDS = {
    "comparison_set": Kind(
        ComparisonSet, _("comparison set %(number)d"), "comparison_set", part_of="comparison_set"
    ),
    "review": _of_comparison(Review, "comparison__"),
    "mark": _of_comparison(Mark, "review__comparison__"),
    "survey": _of_comparison(Survey, "comparison__"),
    "rubric_version": Kind(
        RubricVersion,
        _("version %(number)s of the rubric %(name)s"),
        "rubric_version",
        "name number",
        "number name:rubric__key",
        "",
    ),
}
