from importlib import import_module

from django.db import migrations

publish = import_module("rubric.migrations.0003_first_version").publish


class Migration(migrations.Migration):
    """Version 1.2 of the response rubric, for databases that were made when only 1.0 and 1.1 were shipped."""

    dependencies = [("rubric", "0020_discussion_version_1_2")]

    operations = [migrations.RunPython(publish, migrations.RunPython.noop)]
