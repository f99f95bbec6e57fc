import msgspec
from django.db import migrations, models

from discussions.core.records import GameRecord
from workspace.database.append_only import ForbidChange


def count_words(apps, schema_editor):
    """Games that came in before their words had a column have them in their text."""
    Game = apps.get_model("discussions", "Game")
    GameText = apps.get_model("discussions", "GameText")
    for key, body in GameText.objects.values_list("game_id", "body").iterator(chunk_size=100):
        Game.objects.filter(pk=key).update(word_count=msgspec.json.decode(body, type=GameRecord).word_count)


class Migration(migrations.Migration):
    """How many words a game has: two metrics follow the length of messages."""

    dependencies = [("discussions", "0013_replays")]

    operations = [
        migrations.AddField("game", "word_count", models.PositiveIntegerField(blank=True, null=True)),
        migrations.RunPython(count_words, migrations.RunPython.noop),
        ForbidChange(
            "discussions_game",
            columns=(
                "project_id", "transcript_id", "number", "source_id", "content_sha256", "player_count", "message_count",
                "word_count", "round_count", "vote_count", "cost_usd", "cache_hit_rate", "input_tokens", "created_at",
                "created_by_id",
            ),
        ),
    ]
