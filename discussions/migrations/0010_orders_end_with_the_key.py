from django.db import migrations, models

from workspace.database.online_changes import AddIndexOnline, RemoveIndexOnline
from workspace.database.table_changes import ChangeTables

# Lists are ordered by a figure and then by the key: without it in the index, PostgreSQL reads all rows with the first
# row's figure, which are a tenth of all games where a figure has ten values.
ORDERS = {
    "game": {"message_count": "length", "paid_usd": "cost"},
    "verdict": {"composite": "composite", "passed_count": "passed", "flip_distance": "flip"},
}


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("discussions", "0009_ended_ties")]

    operations = [
        ChangeTables(
            [
                operation
                for model, orders in ORDERS.items()
                for column, name in orders.items()
                for operation in (
                    AddIndexOnline(
                        model, models.Index(fields=["project", column, "id"], name=f"{model}_in_order_of_{name}")
                    ),
                    RemoveIndexOnline(model, f"{model}_by_{name}"),
                )
            ]
        ),
    ]
