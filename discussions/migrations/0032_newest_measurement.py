from django.db import migrations, models

from workspace.database.indexes import DropIndexes
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """The newest measurement of a game is found by its version and game, however many other games there are."""

    dependencies = [("discussions", "0031_search_index")]
    operations = [
        ChangeTables([
            migrations.AddIndex(
                "measured", models.Index(fields=["rubric_version", "game"], name="measured_by_version")
            )
        ]),
        DropIndexes("Measured", "rubric_version"),
    ]
