"""Django's entry for the discussions app."""

from collections.abc import Callable
from typing import Any

from django.apps import AppConfig
from django.utils.module_loading import import_string

from rubric.versions.core.game_specs import register_game_specs
from rubric.versions.labels import register_examples, register_readings


class DiscussionsConfig(AppConfig):
    name = "discussions"
    default_auto_field = "django.db.models.BigAutoField"
    frozen_models = (
        "adjudication",
        "admission",
        "calibrationgame",
        "calibrationround",
        "calibrationwaiver",
        "columnmapping",
        "companions",
        "decision",
        "evaluation",
        "fillrules",
        "game",
        "gametext",
        "iteration",
        "judge",
        "judgeanswer",
        "judgement",
        "judgeprompt",
        "judgereply",
        "manualfigure",
        "measured",
        "measuredfindings",
        "privatetrack",
        "remark",
        "reveal",
        "revision",
        "roundoffset",
        "slot",
        "stage",
        "teamfigures",
        "transcript",
        "verdict",
        "withdrawal",
    )

    def ready(self) -> None:
        register_game_specs(_later("core.registry.game_specs"))
        register_readings(_later("labels.parameter_readings"))
        register_examples(_later("pages.describe_examples"))


def _later(name: str) -> Callable[..., Any]:
    """A function of `discussions.metrics`, which loads all metrics and numpy when it is called, and not before."""

    def call(*given: Any) -> Any:
        return import_string(f"discussions.metrics.{name}")(*given)

    return call
