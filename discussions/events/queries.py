"""What audit lines about games and iterations are about: the names and pages of these things."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions import models
from workspace.audit.queries import Kind, Thing
from workspace.models import Project


def _of_game(model: Any, path: str, page: str = "game") -> Kind:
    words = gettext_lazy("game %(number)d")
    return Kind(model, words, page, fields=f"number:{path}number", project=f"{path}project", part_of="game")


def _of_iteration(model: Any, path: str) -> Kind:
    words, fields = gettext_lazy("iteration %(number)d"), f"number:{path}number"
    project, part_of = f"{path}project", "iteration"
    return Kind(model, words, "iteration", "slug number", fields, project, part_of, _name_unsorted)


def _name_unsorted(project: Project | None, values: Mapping[str, Any]) -> Thing | None:
    page = reverse("project_settings", args=[project.slug]) if project else ""
    return None if values["number"] else Thing(_("the unsorted games"), page)


KINDS = {
    "game": _of_game(models.Game, ""),
    "evaluation": _of_game(models.Evaluation, "game__"),
    "judgement": _of_game(models.Judgement, "evaluation__game__"),
    "remark": _of_game(models.Remark, "evaluation__game__"),
    "verdict": _of_game(models.Verdict, "game__", "verdict"),
    "slot": _of_game(models.Slot, "game__"),
    "adjudication": _of_game(models.Adjudication, "game__"),
    "manual_figure": _of_game(models.ManualFigure, "game__"),
    "withdrawal": _of_game(models.Withdrawal, "game__"),
    "iteration": _of_iteration(models.Iteration, ""),
    "decision": _of_iteration(models.Decision, "iteration__"),
    "stage": Kind(models.Stage, gettext_lazy("stage %(number)d"), "stage", part_of="stage"),
    "calibration": Kind(models.CalibrationRound, gettext_lazy("calibration round %(number)d"), "calibration"),
    "judge": Kind(models.Judge, gettext_lazy("the judge %(name)s"), "show_judge", fields="name number"),
    "category": Kind(models.Category, gettext_lazy("the category %(name)s"), "categories", "slug", "name"),
    "transcript": Kind(
        models.Transcript, gettext_lazy("the file %(name)s"), "import_show", fields="name number:pk"
    ),
    "fill_rules": Kind(
        models.FillRules, gettext_lazy("the queue rules, version %(number)d"), "fill_rules", "slug"
    ),
    "guideline": Kind(
        models.Guideline, gettext_lazy("the guideline, version %(number)d"), "guideline", "slug"
    ),
}
