from importlib import import_module

from django.db import migrations

publish = import_module("rubric.migrations.0003_first_version").publish


class Migration(migrations.Migration):
    """The first response version, for databases that were made when only the discussion rubric was shipped."""

    dependencies = [("rubric", "0003_first_version")]

    operations = [migrations.RunPython(publish, migrations.RunPython.noop)]
