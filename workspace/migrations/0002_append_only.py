from django.db import migrations

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """Audit lines are never changed."""

    dependencies = [("workspace", "0001_initial")]

    operations = [ForbidChange("workspace_event")]
