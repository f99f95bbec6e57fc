from importlib import import_module

from django.db import migrations

publish = import_module("rubric.migrations.0003_first_version").publish


class Migration(migrations.Migration):
    """Version 1.1 of the response rubric, for databases that were made when only 1.0 was shipped."""

    dependencies = [("rubric", "0015_people_for_each_comparison")]

    operations = [migrations.RunPython(publish, migrations.RunPython.noop)]
