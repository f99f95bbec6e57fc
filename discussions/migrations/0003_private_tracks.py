import django.db.models.deletion
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """What not everybody at the table could hear is kept beside a game, and never changed."""

    dependencies = [("discussions", "0002_triggers")]

    operations = [
        ChangeTables(
            [
                migrations.CreateModel(
                    name="PrivateTrack",
                    fields=[
                        (
                            "game",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                primary_key=True,
                                related_name="private_track",
                                serialize=False,
                                to="discussions.game",
                            ),
                        ),
                        ("body", models.TextField()),
                    ],
                ),
            ]
        ),
        ForbidChange("discussions_privatetrack"),
    ]
