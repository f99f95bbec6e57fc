import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """Whoever did not pass a calibration rates all the same by a lead's word, with a reason that stays."""

    dependencies = [
        ("discussions", "0010_team_append_only"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CalibrationWaiver",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waivers",
                        to="discussions.calibrationround",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["round", "person"], name="calibration_waiver_once"),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="calibration_waiver_has_reason"
                    ),
                ],
            },
        ),
        ForbidChange("discussions_calibrationwaiver"),
    ]
