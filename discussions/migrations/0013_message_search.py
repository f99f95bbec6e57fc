from django.db import migrations, models

import discussions.models.games
from workspace.database.full_text import CreateWordTable
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("discussions", "0012_judges")]

    operations = [
        ChangeTables(
            [
                CreateWordTable(
                    name="IndexedMessage",
                    fields=[
                        ("key", models.BigIntegerField(db_column="rowid", primary_key=True, serialize=False)),
                        ("words", discussions.models.games.WordsField()),
                    ],
                ),
                migrations.CreateModel(
                    name="UnindexedGame",
                    fields=[
                        (
                            "game",
                            models.OneToOneField(
                                on_delete=models.PROTECT,
                                primary_key=True,
                                related_name="unindexed",
                                serialize=False,
                                to="discussions.game",
                            ),
                        ),
                    ],
                ),
            ]
        ),
    ]
