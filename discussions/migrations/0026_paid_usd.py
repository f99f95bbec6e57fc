from django.db import migrations, models
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from workspace.database.table_changes import ChangeTables


def fill_costs(apps, schema_editor):
    """Games that came in before cost what a lead entered last, else what their files report."""
    games = apps.get_model("discussions", "Game").objects
    entered = apps.get_model("discussions", "ManualFigure").objects.filter(
        game=OuterRef("pk"), kind="cost", superseded_by=None
    )
    games.update(paid_usd=Coalesce(Subquery(entered.values("value")[:1]), "cost_usd"))


class Migration(migrations.Migration):
    """The list of games is sorted by what games cost, also by hand."""

    dependencies = [("discussions", "0025_sorted_lists")]

    operations = [
        ChangeTables([
            migrations.AddField(
                "game", "paid_usd", models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
            ),
            migrations.AddIndex("game", models.Index(fields=["project", "paid_usd"], name="game_by_cost")),
        ]),
        migrations.RunPython(fill_costs, migrations.RunPython.noop),
    ]
