"""What audit lines about games and iterations are about: the names and pages of these things."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from discussions.models import (
    Adjudication,
    CalibrationRound,
    Decision,
    Evaluation,
    Game,
    Guideline,
    Iteration,
    Judgement,
    ManualFigure,
    Remark,
    Slot,
    Stage,
    Transcript,
    Verdict,
    Withdrawal,
)
from workspace.audit.queries import Namer, Objects, Thing
from workspace.models import Project

# Kind -> model and the way from it to its game.
OF_GAMES: dict[str, tuple[Any, str]] = {
    "evaluation": (Evaluation, "game"),
    "judgement": (Judgement, "evaluation__game"),
    "remark": (Remark, "evaluation__game"),
    "verdict": (Verdict, "game"),
    "slot": (Slot, "game"),
    "adjudication": (Adjudication, "game"),
    "manual_figure": (ManualFigure, "game"),
    "withdrawal": (Withdrawal, "game"),
}
Things = Mapping[int, Thing]


def _game(project: Project | None, number: int, page: str = "game") -> Thing:
    address = reverse(page, args=[project.slug, number]) if project else ""
    return Thing(_("game %(number)d") % {"number": number}, address)


def _name_games(project: Project | None, keys: Collection[int]) -> Things:
    rows = Game.objects.filter(project=project, pk__in=keys)
    return {key: _game(project, number) for key, number in rows.values_list("pk", "number")}


def _name_by_game(kind: str) -> Namer:
    model, way = OF_GAMES[kind]
    page = "verdict" if kind == "verdict" else "game"

    def name(project: Project | None, keys: Collection[int]) -> Things:
        rows = model.objects.filter(pk__in=keys, **{f"{way}__project": project})
        return {key: _game(project, number, page) for key, number in rows.values_list("pk", f"{way}__number")}

    return name


def _name_iteration(project: Project | None, number: int) -> Thing:
    if not number:
        return Thing(
            _("the unsorted games"), reverse("change_iteration", args=[project.slug]) if project else ""
        )
    page = reverse("iteration", args=[project.slug, number]) if project else ""
    return Thing(_("iteration %(number)d") % {"number": number}, page)


def _name_iterations(project: Project | None, keys: Collection[int]) -> Things:
    rows = Iteration.objects.filter(project=project, pk__in=keys)
    return {key: _name_iteration(project, number) for key, number in rows.values_list("pk", "number")}


def _name_decisions(project: Project | None, keys: Collection[int]) -> Things:
    rows = Decision.objects.filter(iteration__project=project, pk__in=keys)
    found = rows.values_list("pk", "iteration__number")
    return {key: _name_iteration(project, number) for key, number in found}


def _name_stages(project: Project | None, keys: Collection[int]) -> Things:
    rows = Stage.objects.filter(project=project, pk__in=keys)
    return {
        key: Thing(
            _("stage %(number)d") % {"number": number},
            reverse("stage", args=[project.slug, number]) if project else "",
        )
        for key, number in rows.values_list("pk", "number")
    }


def _name_calibrations(project: Project | None, keys: Collection[int]) -> Things:
    rows = CalibrationRound.objects.filter(project=project, pk__in=keys)
    return {
        key: Thing(
            _("calibration round %(number)d") % {"number": number},
            reverse("calibration", args=[project.slug, number]) if project else "",
        )
        for key, number in rows.values_list("pk", "number")
    }


def _name_transcripts(project: Project | None, keys: Collection[int]) -> Things:
    rows = Transcript.objects.filter(project=project, pk__in=keys)
    return {
        key: Thing(
            _("the file %(name)s") % {"name": name},
            reverse("import_show", args=[project.slug, key]) if project else "",
        )
        for key, name in rows.values_list("pk", "name")
    }


def _name_guidelines(project: Project | None, keys: Collection[int]) -> Things:
    rows = Guideline.objects.filter(project=project, pk__in=keys)
    page = reverse("guideline", args=[project.slug]) if project else ""
    return {
        key: Thing(_("the guideline, version %(number)d") % {"number": number}, page)
        for key, number in rows.values_list("pk", "number")
    }


def _about_game(project: Project, number: int) -> Mapping[str, "QuerySet[Any]"]:
    games = Game.objects.filter(project=project, number=number)
    rest = {kind: model.objects.filter(**{f"{way}__in": games}) for kind, (model, way) in OF_GAMES.items()}
    return {"game": games, **rest}


def _about_iteration(project: Project, number: int) -> Mapping[str, "QuerySet[Any]"]:
    iterations = Iteration.objects.filter(project=project, number=number)
    return {"iteration": iterations, "decision": Decision.objects.filter(iteration__in=iterations)}


OBJECTS = Objects(
    namers={
        "game": _name_games,
        **{kind: _name_by_game(kind) for kind in OF_GAMES},
        "iteration": _name_iterations,
        "decision": _name_decisions,
        "stage": _name_stages,
        "calibration": _name_calibrations,
        "transcript": _name_transcripts,
        "guideline": _name_guidelines,
    },
    about={
        "game": _about_game,
        "iteration": _about_iteration,
        "stage": lambda project, number: {"stage": Stage.objects.filter(project=project, number=number)},
    },
)
