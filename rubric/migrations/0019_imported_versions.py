from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables

Q = models.Q


class Migration(migrations.Migration):
    """A version that a project archive brought is imported: new work uses it only after an admin offered it."""

    dependencies = [("rubric", "0018_own_numbers")]

    operations = [
        ChangeTables([
            migrations.RemoveConstraint("rubricversion", "rubric_version_state_fits"),
            migrations.AddConstraint(
                "rubricversion",
                models.CheckConstraint(
                    condition=Q(state="draft", published_at=None, retired_at=None, discarded_at=None)
                    | Q(
                        state__in=("published", "imported"),
                        published_at__isnull=False,
                        retired_at=None,
                        discarded_at=None,
                    )
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
