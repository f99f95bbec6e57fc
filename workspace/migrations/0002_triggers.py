from django.db import migrations

from workspace.database.append_only import ForbidChange
from workspace.database.squashed import list_replaced


class Migration(migrations.Migration):
    """Audit lines and first seals of projects are never changed."""

    replaces = list_replaced("workspace", "0002_triggers")
    dependencies = [("workspace", "0001_squashed")]

    operations = [
        ForbidChange("workspace_event"),
        ForbidChange("workspace_firstseal"),
    ]
