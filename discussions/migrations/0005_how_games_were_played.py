from typing import Any

import msgspec
from django.db import migrations, models

from discussions.core.records import GameRecord
from workspace.database.append_only import ForbidChange
from workspace.database.online_changes import AddSQLiteIndex
from workspace.database.table_changes import ChangeTables


def read_days(apps: Any, _schema_editor: Any) -> None:
    """The day of each game, from its stored text. Games that were read before have none of the other columns."""
    games = apps.get_model("discussions", "Game").objects
    texts = apps.get_model("discussions", "GameText").objects.order_by("pk").values_list("game_id", "body")
    for game, body in texts.iterator(chunk_size=50):
        day = msgspec.json.decode(body, type=GameRecord).played_on
        if day is not None:
            games.filter(pk=game).update(played_on=day)


class Migration(migrations.Migration):
    """When and how a game was played."""

    dependencies = [("discussions", "0004_recipe_names")]

    operations = [
        ChangeTables(
            [
                migrations.AddField("game", "played_on", models.DateField(blank=True, null=True)),
                migrations.AddField("game", "model_build", models.TextField(blank=True, default="")),
                migrations.AddField("game", "seed", models.CharField(blank=True, default="", max_length=200)),
                migrations.AddField("game", "pair", models.CharField(blank=True, default="", max_length=200)),
            ]
        ),
        # SQLite made the table anew, without the index that no model names.
        AddSQLiteIndex("Game", "game_by_text", "project", "number", "search_text"),
        migrations.RunPython(read_days, migrations.RunPython.noop),
        ForbidChange(
            "discussions_game",
            columns=(
                "project_id", "transcript_id", "number", "source_id", "search_text", "content_sha256",
                "player_count", "message_count", "word_count", "round_count", "vote_count", "cost_usd",
                "cache_hit_rate", "input_tokens", "played_on", "model_build", "seed", "pair", "created_at",
                "created_by_id",
            ),
        ),
    ]
