import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables

KINDS = ("game", "transcript", "project", "person")
KEY = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def _names(model: str, **more: object) -> models.ForeignKey:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, to=model, **{"related_name": "+", **more}
    )


class Migration(migrations.Migration):
    """Erasures, and the rows that they may change although triggers freeze them."""

    dependencies = [("workspace", "0004_webhook_scores")]

    operations = [
        ChangeTables(
            [
                migrations.AddField("person", "erased_at", models.DateTimeField(blank=True, null=True)),
                migrations.AddField("project", "erased_at", models.DateTimeField(blank=True, null=True)),
                migrations.CreateModel(
                    "Erasure",
                    fields=[
                        ("id", KEY),
                        ("kind", models.CharField(choices=[(kind, kind) for kind in KINDS], max_length=12)),
                        ("row", models.PositiveBigIntegerField()),
                        ("stamp", models.CharField(max_length=64)),
                        ("reason", models.TextField()),
                        ("counts", models.JSONField(default=dict)),
                        ("created_at", models.DateTimeField()),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        ("created_by", _names(settings.AUTH_USER_MODEL)),
                        ("job", _names("workspace.job", blank=True, null=True)),
                        ("project", _names("workspace.project", blank=True, null=True)),
                    ],
                ),
                migrations.CreateModel(
                    "ErasurePass",
                    fields=[
                        ("id", KEY.clone()),
                        ("table", models.CharField(max_length=60)),
                        ("row", models.PositiveBigIntegerField()),
                        ("erasure", _names("workspace.erasure", related_name="passes")),
                    ],
                ),
                migrations.AddConstraint(
                    "erasure", models.UniqueConstraint(fields=("kind", "row"), name="erasure_once")
                ),
                migrations.AddConstraint(
                    "erasure",
                    models.CheckConstraint(condition=~models.Q(reason=""), name="erasure_has_reason"),
                ),
                migrations.AddConstraint(
                    "erasurepass", models.UniqueConstraint(fields=("table", "row"), name="erasure_pass_once")
                ),
            ]
        ),
        ForbidChange("workspace_event"),
        ForbidChange("workspace_firstseal"),
    ]
