from django.db import migrations, models

from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """Where a project wants it, submitting records the verdict of a game that one evaluator rates."""

    dependencies = [("discussions", "0007_closest_first")]

    operations = [
        ChangeTables(
            [
                migrations.AddField("ratingrule", "records_at_submit", models.BooleanField(default=False)),
            ]
        ),
    ]
