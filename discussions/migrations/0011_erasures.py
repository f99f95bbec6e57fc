from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """Rows that an erasure names pass the triggers that freeze them."""

    dependencies = [("discussions", "0010_orders_end_with_the_key"), ("workspace", "0005_erasures")]

    operations = [
        ChangeTables(
            [
                migrations.AddField("game", "erased_at", models.DateTimeField(blank=True, null=True)),
                migrations.AddField("transcript", "erased_at", models.DateTimeField(blank=True, null=True)),
            ]
        ),
        ForbidChange("discussions_adjudication"),
        ForbidChange("discussions_calibrationgame"),
        ForbidChange(
            "discussions_calibrationround",
            columns=(
                "project_id",
                "number",
                "is_required",
                "pass_percent",
                "rating_within",
                "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("discussions_calibrationwaiver"),
        ForbidChange(
            "discussions_columnmapping",
            columns=(
                "project_id",
                "transcript_id",
                "columns_sha256",
                "columns",
                "fields",
                "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("discussions_companions"),
        ForbidChange("discussions_decision"),
        ForbidChange(
            "discussions_evaluation",
            columns=(
                "game_id",
                "evaluator_id",
                "purpose",
                "seed",
                "identification",
                "shown_number",
                "created_at",
            ),
        ),
        ForbidChange(
            "discussions_game",
            columns=(
                "project_id",
                "transcript_id",
                "number",
                "source_id",
                "search_text",
                "content_sha256",
                "player_count",
                "message_count",
                "word_count",
                "round_count",
                "vote_count",
                "cost_usd",
                "cache_hit_rate",
                "input_tokens",
                "played_on",
                "model_build",
                "seed",
                "pair",
                "created_at",
                "created_by_id",
                "erased_at",
            ),
        ),
        ForbidChange("discussions_gametext"),
        ForbidChange(
            "discussions_iteration",
            columns=(
                "project_id",
                "stage_id",
                "number",
                "kind",
                "prompt",
                "prompt_sha256",
                "compared_with_id",
                "baseline_id",
                "replay_of_id",
                "target",
                "material",
                "change_note",
                "hunk_count",
                "hunks_answer",
                "least_games",
                "created_at",
                "created_by_id",
                "opened_at",
                "opened_by_id",
            ),
            once="OLD.opened_at IS NOT NULL",
        ),
        ForbidChange("discussions_judgement", columns=("evaluation_id", "kind", "subject")),
        ForbidChange("discussions_manualfigure"),
        ForbidChange("discussions_measured"),
        ForbidChange("discussions_measuredfindings"),
        ForbidChange("discussions_privatetrack"),
        ForbidChange(
            "discussions_remark",
            columns=(
                "evaluation_id",
                "kind",
                "target",
                "text",
                "key",
                "body_sha256",
                "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("discussions_reveal"),
        ForbidChange("discussions_revision"),
        ForbidChange("discussions_roundoffset"),
        ForbidChange("discussions_slot", columns=("project_id", "game_id", "purpose", "number", "shuffle")),
        ForbidChange("discussions_stage", columns=("project_id", "number", "created_at", "created_by_id")),
        ForbidChange("discussions_teamfigures"),
        ForbidChange(
            "discussions_transcript",
            columns=(
                "project_id",
                "name",
                "sha256",
                "byte_count",
                "is_separate",
                "created_at",
                "created_by_id",
                "erased_at",
            ),
        ),
        ForbidChange("discussions_verdict"),
        ForbidChange("discussions_withdrawal"),
    ]
