from django.db import migrations

from workspace.database.indexes import DropIndexes


class Migration(migrations.Migration):
    dependencies = [("workspace", "0013_storage_limits")]
    operations = [DropIndexes("Event", "chain")]
