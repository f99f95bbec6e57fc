from importlib import import_module

from django.db import migrations

publish = import_module("rubric.migrations.0003_shipped_versions").publish


class Migration(migrations.Migration):
    """Version 1.3 of the discussion rubric; a new database has it from the migration before."""

    dependencies = [("rubric", "0003_shipped_versions")]

    operations = [migrations.RunPython(publish, migrations.RunPython.noop)]
