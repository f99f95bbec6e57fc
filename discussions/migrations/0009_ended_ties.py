from django.db import migrations, models
from django.db.models import Q

from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """A request for an answer to a tie stays when the tie ends without it."""

    dependencies = [("discussions", "0008_record_at_submit")]

    operations = [
        ChangeTables(
            [
                migrations.AddField("tierequest", "ended_at", models.DateTimeField(blank=True, null=True)),
                migrations.RemoveConstraint("tierequest", "tie_request_once"),
                migrations.AddConstraint(
                    "tierequest",
                    models.UniqueConstraint(
                        fields=["game", "kind", "subject"], condition=Q(ended_at=None), name="tie_request_once"
                    ),
                ),
            ]
        ),
    ]
