from django.db import migrations

from workspace.database.full_text import AddTrigramIndexOnline


class Migration(migrations.Migration):
    """Parts of ids, files and names are found without reading all games."""

    atomic = False
    dependencies = [("discussions", "0001_tables")]

    operations = [AddTrigramIndexOnline("Game", "game_search_trigrams", "search_text")]
