from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


def name_recipes(apps: Any, _schema_editor: Any) -> None:
    """Each recipe is called after the file that it was made with; of several in a project all have their numbers."""
    rows = apps.get_model("discussions", "ColumnMapping").objects.select_related("transcript")
    for row in rows.order_by("pk"):
        row.name = f"{row.transcript.name[:80]} ({row.pk})"
        row.save(update_fields=["name"])


class Migration(migrations.Migration):
    """A recipe has a name, and may come from a file of its own."""

    dependencies = [("discussions", "0003_private_tracks")]

    operations = [
        ChangeTables(
            [migrations.AddField("columnmapping", "name", models.CharField(default="", max_length=100))]
        ),
        migrations.RunPython(name_recipes, migrations.RunPython.noop),
        ChangeTables(
            [
                migrations.AlterField("columnmapping", "name", models.CharField(max_length=100)),
                migrations.AlterField(
                    "columnmapping",
                    "transcript",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="discussions.transcript",
                    ),
                ),
                migrations.AddConstraint(
                    "columnmapping",
                    models.UniqueConstraint(
                        condition=models.Q(("removed_at", None)),
                        fields=("project", "name"),
                        name="column_mapping_name_unique",
                    ),
                ),
            ]
        ),
        ForbidChange(
            "discussions_columnmapping",
            columns=(
                "project_id", "transcript_id", "columns_sha256", "columns", "fields", "created_at", "created_by_id",
            ),
        ),
    ]
