from django.db import migrations
from django.utils import timezone

from rubric.versions.queries import find_missing, shipped_versions
from workspace.database.squashed import list_replaced


def publish(apps, schema_editor):
    """The first version is there before the first project is; the system account stands for who published it."""
    now = timezone.now()
    system = apps.get_model("workspace", "Person").objects.get_or_create(
        is_system=True,
        defaults={
            "email": "system@evalsite.invalid",
            "name": "System",
            "is_active": False,
            "password": "!" + "migrated",
            "created_at": now,
        },
    )[0]
    for shipped in shipped_versions():
        rubric = apps.get_model("rubric", "Rubric").objects.get_or_create(
            key=shipped.key, defaults={"kind": shipped.kind, "name": shipped.name}
        )[0]
        versions = apps.get_model("rubric", "RubricVersion").objects
        stored = versions.filter(rubric=rubric).values_list("number", "body")
        if missing := find_missing(shipped, dict(stored)):
            versions.create(
                rubric=rubric,
                number=missing.number,
                state="published",
                body=missing.body,
                sha256=missing.sha256,
                created_at=now,
                created_by=system,
                published_at=now,
                published_by=system,
            )


class Migration(migrations.Migration):
    """The rubric versions that the app is shipped with."""

    replaces = list_replaced("rubric", "0002_shipped_versions")
    dependencies = [("rubric", "0001_tables")]

    operations = [migrations.RunPython(publish, migrations.RunPython.noop)]
