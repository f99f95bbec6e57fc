from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables

IDENTIFICATIONS = [("question", "question"), ("test", "test")]


class Migration(migrations.Migration):
    """How an iteration asks who said it, and the form that each evaluation began with."""

    dependencies = [("discussions", "0002_append_only")]

    operations = [
        ChangeTables([
            migrations.AddField(
                "iteration",
                "identification",
                models.CharField(choices=IDENTIFICATIONS, default="question", max_length=12),
            ),
            migrations.AddField(
                "evaluation",
                "identification",
                models.CharField(choices=IDENTIFICATIONS, default="question", max_length=12),
            ),
        ]),
        ForbidChange(
            "discussions_evaluation",
            columns=("game_id", "evaluator_id", "purpose", "seed", "identification", "created_at"),
        ),
    ]
