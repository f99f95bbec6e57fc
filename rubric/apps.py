"""Django's entry for the rubric app."""

from django.apps import AppConfig


class RubricConfig(AppConfig):
    name = "rubric"
    default_auto_field = "django.db.models.BigAutoField"
    frozen_models = (
        "answer",
        "calibrationcomparison",
        "calibrationround",
        "calibrationwaiver",
        "comparison",
        "comparisonset",
        "impactpreview",
        "mark",
        "markrevision",
        "response",
        "review",
        "reviewedresponse",
        "reviewer",
        "reviewprompt",
        "rubricversion",
        "scoringchoice",
        "setfigures",
        "survey",
        "wholeprompt",
    )
