"""Django's entry for the workspace wing."""

from django.apps import AppConfig
from django.core.checks import Tags, register


class WorkspaceConfig(AppConfig):
    name = "workspace"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks of the ground under the rows."""
        from workspace.database.startup_checks import check_databases, check_time_limits

        register(check_databases, Tags.database)
        register(check_time_limits)
