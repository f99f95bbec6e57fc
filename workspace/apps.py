"""Django's entry for the workspace app."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext, ngettext

from workspace.core.words import register_words


class WorkspaceConfig(AppConfig):
    name = "workspace"
    default_auto_field = "django.db.models.BigAutoField"
    frozen_models = ("event", "firstseal")

    def ready(self) -> None:
        """Register the translation of the sentences of cores, and the system checks of the database."""
        from workspace.database.startup_checks import check_databases, check_time_limits

        register(check_databases, Tags.database)
        register(check_time_limits)
        register_words(gettext, ngettext)
