from django.db import migrations

from workspace.database.indexes import AddSQLiteIndex


class Migration(migrations.Migration):
    """A search of games reads this index, in the order of the list, and only the rows that it finds."""

    dependencies = [("discussions", "0030_dashboard_indexes")]
    operations = [AddSQLiteIndex("Game", "game_by_text", "project", "number", "search_text")]
