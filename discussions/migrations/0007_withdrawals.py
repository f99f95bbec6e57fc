import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """Games are withdrawn from the averages, and taken back, by acts with a reason that nobody changes later."""

    dependencies = [
        ("discussions", "0006_hunks_by_rubric"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Withdrawal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("is_withdrawn", models.BooleanField()),
                ("reason", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("created_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("game", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="withdrawals", to="discussions.game")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["game", "number"], name="withdrawal_number_unique"),
                    models.CheckConstraint(condition=models.Q(("reason", ""), _negated=True), name="withdrawal_has_reason"),
                ],
            },
        ),
        ForbidChange("discussions_withdrawal"),
    ]
