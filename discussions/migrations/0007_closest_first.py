from django.db import migrations, models

from workspace.database.table_changes import ChangeTables

ORDERS = [
    ("closest", "closest to another verdict first, the rest in random order"),
    ("random", "in random order, each person their own"),
    ("oldest", "oldest first"),
]


class Migration(migrations.Migration):
    """Projects without a rule of their own begin with the games that are closest to another verdict."""

    dependencies = [("discussions", "0006_tie_requests")]

    operations = [
        ChangeTables(
            [
                migrations.AlterField(
                    "queuerule", "order", models.CharField(choices=ORDERS, default="closest", max_length=12)
                ),
            ]
        ),
    ]
