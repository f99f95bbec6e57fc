"""Django's entry for the discussions wing."""

from django.apps import AppConfig

from discussions.core.metrics import game_specs
from discussions.pages.parameter_labels import parameter_readings
from rubric.core.game_specs import register_game_specs
from rubric.pages.readings import register_readings


class DiscussionsConfig(AppConfig):
    name = "discussions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register_game_specs(game_specs)
        register_readings(parameter_readings)
