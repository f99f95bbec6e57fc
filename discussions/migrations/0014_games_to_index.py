from typing import Any

from django.db import migrations

from workspace.database.online_changes import ChangeInBatches


def queue(apps: Any, games: Any) -> None:
    """A job indexes the messages of these games when the site runs again."""
    rows = apps.get_model("discussions", "UnindexedGame")
    keys = games.filter(erased_at=None).values_list("pk", flat=True)
    rows.objects.bulk_create([rows(game_id=key) for key in keys], ignore_conflicts=True)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("discussions", "0013_message_search")]

    operations = [ChangeInBatches("Game", queue, size=5000)]
