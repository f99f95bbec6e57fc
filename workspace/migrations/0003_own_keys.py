from django.db import migrations, models

from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    dependencies = [("workspace", "0002_triggers")]

    operations = [
        ChangeTables(
            [
                migrations.AddField("person", "keys", models.JSONField(blank=True, null=True)),
            ]
        ),
    ]
