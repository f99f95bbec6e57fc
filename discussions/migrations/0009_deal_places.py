import random

from django.db import migrations
from django.db.models import OuterRef, Subquery


def deal_places(apps, schema_editor):
    """Places that are there already get their project and a random number; no lease runs on them until they are used."""
    Slot, Game = (apps.get_model("discussions", name) for name in ("Slot", "Game"))
    Slot.objects.update(project=Subquery(Game.objects.filter(pk=OuterRef("game")).values("project")[:1]))
    keys = list(Slot.objects.values_list("pk", flat=True))
    for start in range(0, len(keys), 500):
        rows = [Slot(pk=key, shuffle=random.randrange(2**31)) for key in keys[start : start + 500]]
        Slot.objects.bulk_update(rows, ["shuffle"])


class Migration(migrations.Migration):
    dependencies = [("discussions", "0008_team")]

    operations = [migrations.RunPython(deal_places, migrations.RunPython.noop)]
