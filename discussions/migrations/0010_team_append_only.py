import django.db.models.deletion
from django.db import migrations, models

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """What leads settled, keys of calibrations and figures of the team are evidence; altered tables are guarded anew."""

    dependencies = [("discussions", "0009_deal_places"), ("workspace", "0004_sign_ins")]

    operations = [
        migrations.AlterField(
            "slot",
            "project",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="workspace.project"
            ),
        ),
        migrations.AlterField("slot", "shuffle", models.PositiveIntegerField()),
        ForbidChange("discussions_slot", columns=("project_id", "game_id", "purpose", "number", "shuffle")),
        ForbidChange("discussions_adjudication"),
        ForbidChange("discussions_calibrationgame"),
        ForbidChange(
            "discussions_calibrationround",
            columns=(
                "project_id", "number", "is_required", "pass_percent", "rating_within", "created_at", "created_by_id",
            ),
        ),
        ForbidChange("discussions_teamfigures"),
        ForbidChange(
            "discussions_game",
            columns=(
                "project_id", "transcript_id", "number", "source_id", "content_sha256", "player_count", "message_count",
                "round_count", "vote_count", "cost_usd", "cache_hit_rate", "input_tokens", "created_at", "created_by_id",
            ),
        ),
        ForbidChange(
            "discussions_evaluation",
            columns=(
                "game_id", "evaluator_id", "purpose", "seed", "identification", "shown_number", "created_at",
            ),
        ),
    ]
