import msgspec
from django.db import migrations

from discussions.core.records import GameRecord
from workspace.database.append_only import ForbidChange


def take_tokens_from_texts(apps, schema_editor):
    """Games that came in before their input tokens had a column have them in their text."""
    Game = apps.get_model("discussions", "Game")
    GameText = apps.get_model("discussions", "GameText")
    for key, body in GameText.objects.values_list("game_id", "body").iterator(chunk_size=100):
        tokens = msgspec.json.decode(body, type=GameRecord).cost.input_tokens
        if tokens is not None:
            Game.objects.filter(pk=key).update(input_tokens=tokens)


class Migration(migrations.Migration):
    """Decisions and figures by hand are evidence; what an iteration asked is final once it is open for rating."""

    dependencies = [("discussions", "0004_iteration_history")]

    operations = [
        migrations.RunPython(take_tokens_from_texts, migrations.RunPython.noop),
        ForbidChange("discussions_decision"),
        ForbidChange("discussions_manualfigure"),
        ForbidChange("discussions_stage", columns=("project_id", "number", "created_at", "created_by_id")),
        ForbidChange(
            "discussions_iteration",
            columns=(
                "project_id", "stage_id", "number", "kind", "prompt", "prompt_sha256", "compared_with_id", "baseline_id",
                "target", "material", "change_note", "hunk_count", "hunks_answer", "least_games", "created_at",
                "created_by_id", "opened_at", "opened_by_id",
            ),
            once="OLD.opened_at IS NOT NULL",
        ),
        ForbidChange(
            "discussions_game",
            columns=(
                "project_id", "transcript_id", "number", "source_id", "content_sha256", "player_count", "message_count",
                "round_count", "vote_count", "cost_usd", "cache_hit_rate", "input_tokens", "created_at", "created_by_id",
            ),
        ),
    ]
