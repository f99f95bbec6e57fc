from django.db import migrations

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """Imported rows, measurements, human work and verdicts are evidence."""

    dependencies = [("discussions", "0001_initial")]

    operations = [
        ForbidChange("discussions_revision"),
        ForbidChange("discussions_verdict"),
        ForbidChange("discussions_reveal"),
        ForbidChange("discussions_measured"),
        ForbidChange("discussions_measuredfindings"),
        ForbidChange("discussions_companions"),
        ForbidChange("discussions_gametext"),
        ForbidChange(
            "discussions_transcript",
            columns=("project_id", "name", "sha256", "byte_count", "is_separate", "created_at", "created_by_id"),
        ),
        ForbidChange(
            "discussions_game",
            columns=(
                "project_id", "transcript_id", "number", "source_id", "content_sha256", "player_count", "message_count",
                "round_count", "vote_count", "cost_usd", "cache_hit_rate", "created_at", "created_by_id",
            ),
        ),
        ForbidChange("discussions_judgement", columns=("evaluation_id", "kind", "subject")),
        ForbidChange(
            "discussions_evaluation",
            columns=("game_id", "evaluator_id", "purpose", "seed", "created_at"),
        ),
        ForbidChange(
            "discussions_remark",
            columns=("evaluation_id", "kind", "target", "text", "key", "body_sha256", "created_at", "created_by_id"),
        ),
    ]
