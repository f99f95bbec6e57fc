import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """What admins chose about the scoring of new comparison sets; the newest counts, none is changed."""

    dependencies = [
        ("rubric", "0007_comparisons_append_only"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ScoringChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("is_on", models.BooleanField()),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        ForbidChange("rubric_scoringchoice"),
    ]
