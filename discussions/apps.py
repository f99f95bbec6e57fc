"""Django's entry for the discussions wing."""

from django.apps import AppConfig


class DiscussionsConfig(AppConfig):
    name = "discussions"
    default_auto_field = "django.db.models.BigAutoField"
