"""Django's entry for the rubric wing."""

from django.apps import AppConfig


class RubricConfig(AppConfig):
    name = "rubric"
    default_auto_field = "django.db.models.BigAutoField"
