from django.db import migrations

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """What a published rubric version says never changes; a draft is free."""

    dependencies = [("rubric", "0001_initial")]

    operations = [
        ForbidChange(
            "rubric_rubricversion",
            columns=("rubric_id", "number", "body", "sha256", "created_at", "created_by_id", "published_at", "published_by_id"),
            once="OLD.state <> 'draft'",
        ),
    ]
