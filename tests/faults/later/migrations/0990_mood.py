from django.db import migrations, models

from discussions import migrations as present

(FOLDER,) = present.__path__


def newest() -> str:
    """The name of the last migration that is there."""
    from pathlib import Path

    return sorted(path.stem for path in Path(FOLDER).glob("0*.py"))[-1]


class Migration(migrations.Migration):
    dependencies = [("discussions", newest())]

    operations = [migrations.AddField("game", "mood", models.TextField(null=True))]
