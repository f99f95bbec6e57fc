import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables

Q = models.Q


class Migration(migrations.Migration):
    """A draft can be discarded, with a reason. It stays, and is as final then as what was published."""

    dependencies = [
        ("rubric", "0008_scoring_choices"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables([
            migrations.AddField("rubricversion", "discarded_at", models.DateTimeField(blank=True, null=True)),
            migrations.AddField(
                "rubricversion",
                "discarded_by",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            migrations.AddField("rubricversion", "discarded_reason", models.TextField(blank=True, default="")),
            migrations.AddConstraint(
                "rubricversion",
                models.CheckConstraint(
                    condition=Q(discarded_at=None, discarded_by=None)
                    | Q(discarded_at__isnull=False, discarded_by__isnull=False),
                    name="rubric_version_discarded_pair",
                ),
            ),
            migrations.RemoveConstraint("rubricversion", "rubric_version_state_fits"),
            migrations.AddConstraint(
                "rubricversion",
                models.CheckConstraint(
                    condition=Q(state="draft", published_at=None, retired_at=None, discarded_at=None)
                    | Q(state="published", published_at__isnull=False, retired_at=None, discarded_at=None)
                    | Q(state="retired", published_at__isnull=False, retired_at__isnull=False, discarded_at=None)
                    | Q(state="discarded", published_at=None, retired_at=None, discarded_at__isnull=False),
                    name="rubric_version_state_fits",
                ),
            ),
        ]),
        ForbidChange(
            "rubric_rubricversion",
            columns=(
                "rubric_id", "number", "body", "sha256", "note", "created_at", "created_by_id", "edited_at", "edited_by_id",
                "published_at", "published_by_id", "reason", "discarded_at", "discarded_by_id", "discarded_reason",
            ),
            once="OLD.published_at IS NOT NULL OR OLD.discarded_at IS NOT NULL",
        ),
    ]
