import msgspec
from django.db import migrations, models

from discussions.core.records import GameRecord
from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


def fill_search_texts(apps, schema_editor):
    """Games that came in before are found by their ids, files and players, too."""
    games = apps.get_model("discussions", "Game").objects
    texts = apps.get_model("discussions", "GameText").objects.values_list(
        "game_id", "game__transcript__name", "body"
    )
    for key, name, body in texts.iterator(chunk_size=100):
        record = msgspec.json.decode(body, type=GameRecord)
        games.filter(pk=key).update(search_text=record.build_search_text(name))


class Migration(migrations.Migration):
    """The list of games is searched by ids, names of files and names of players."""

    dependencies = [("discussions", "0023_rating_rules")]

    operations = [
        ChangeTables([
            migrations.AddField(
                "game", "search_text", models.TextField(blank=True, default=""), preserve_default=False
            ),
            migrations.AddIndex("game", models.Index(fields=["project", "message_count"], name="game_by_length")),
        ]),
        migrations.RunPython(fill_search_texts, migrations.RunPython.noop),
        ForbidChange(
            "discussions_game",
            columns=(
                "project_id", "transcript_id", "number", "source_id", "search_text", "content_sha256", "player_count",
                "message_count", "word_count", "round_count", "vote_count", "cost_usd", "cache_hit_rate",
                "input_tokens", "created_at", "created_by_id",
            ),
        ),
    ]
