import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """A lead says how the texts of a game count its rounds; measurements name the act that they were made under."""

    dependencies = [
        ("discussions", "0014_word_counts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables([
            migrations.CreateModel(
                name="RoundOffset",
                fields=[
                    ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                    ("number", models.PositiveIntegerField()),
                    ("offset", models.SmallIntegerField()),
                    ("created_at", models.DateTimeField()),
                    ("created_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                    ("game", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="round_offsets", to="discussions.game")),
                ],
                options={
                    "constraints": [
                        models.UniqueConstraint(fields=["game", "number"], name="round_offset_number_unique"),
                    ],
                },
            ),
            migrations.RemoveConstraint("measured", "measured_once"),
            migrations.AddField("measured", "round_offset_number", models.PositiveIntegerField(default=0)),
            migrations.AddConstraint(
                "measured",
                models.UniqueConstraint(
                    fields=["game", "rubric_version", "code_version", "round_offset_number"], name="measured_once"
                ),
            ),
        ]),
        ForbidChange("discussions_roundoffset"),
        ForbidChange("discussions_measured"),
    ]
