from django.db import migrations

from workspace.database.indexes import DropIndexes


class Migration(migrations.Migration):
    dependencies = [("rubric", "0021_response_version_1_2")]
    operations = [DropIndexes("Mark", "review"), DropIndexes("MarkRevision", "mark", "created_by")]
