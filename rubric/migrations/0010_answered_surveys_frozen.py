from django.db import migrations

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """A survey that was answered, or passed over, is evidence."""

    dependencies = [("rubric", "0009_discarded_drafts")]

    operations = [ForbidChange("rubric_survey", once="OLD.answered_at IS NOT NULL")]
