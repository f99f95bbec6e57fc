from django.db import migrations

from workspace.database.append_only import ForbidChange
from workspace.database.squashed import list_replaced


class Migration(migrations.Migration):
    """Games, judgements, verdicts, decisions and what they rest on are never changed."""

    replaces = list_replaced("discussions", "0002_triggers")
    dependencies = [("discussions", "0001_squashed")]

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
                "project_id", "transcript_id", "number", "source_id", "search_text", "content_sha256",
                "player_count", "message_count", "word_count", "round_count", "vote_count", "cost_usd",
                "cache_hit_rate", "input_tokens", "created_at", "created_by_id",
            ),
        ),
        ForbidChange("discussions_judgement", columns=("evaluation_id", "kind", "subject")),
        ForbidChange(
            "discussions_evaluation",
            columns=("game_id", "evaluator_id", "purpose", "seed", "identification", "shown_number", "created_at"),
        ),
        ForbidChange(
            "discussions_remark",
            columns=("evaluation_id", "kind", "target", "text", "key", "body_sha256", "created_at", "created_by_id"),
        ),
        ForbidChange("discussions_decision"),
        ForbidChange("discussions_manualfigure"),
        ForbidChange("discussions_stage", columns=("project_id", "number", "created_at", "created_by_id")),
        ForbidChange(
            "discussions_iteration",
            columns=(
                "project_id", "stage_id", "number", "kind", "prompt", "prompt_sha256", "compared_with_id",
                "baseline_id", "replay_of_id", "target", "material", "change_note", "hunk_count", "hunks_answer",
                "least_games", "created_at", "created_by_id", "opened_at", "opened_by_id",
            ),
            once="OLD.opened_at IS NOT NULL",
        ),
        ForbidChange("discussions_withdrawal"),
        ForbidChange("discussions_slot", columns=("project_id", "game_id", "purpose", "number", "shuffle")),
        ForbidChange("discussions_adjudication"),
        ForbidChange("discussions_calibrationgame"),
        ForbidChange(
            "discussions_calibrationround",
            columns=(
                "project_id", "number", "is_required", "pass_percent", "rating_within", "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("discussions_teamfigures"),
        ForbidChange("discussions_calibrationwaiver"),
        ForbidChange("discussions_roundoffset"),
        ForbidChange(
            "discussions_columnmapping",
            columns=(
                "project_id", "transcript_id", "columns_sha256", "columns", "fields", "created_at", "created_by_id",
            ),
        ),
    ]
