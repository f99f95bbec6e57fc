"""Django's entry for the discussions app."""

from django.apps import AppConfig

from discussions.metrics.core.registry import game_specs
from discussions.metrics.labels import parameter_readings
from discussions.metrics.pages import describe_examples
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
        register_game_specs(game_specs)
        register_readings(parameter_readings)
        register_examples(describe_examples)
