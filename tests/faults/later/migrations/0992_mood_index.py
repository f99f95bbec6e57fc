from django.db import migrations, models

from workspace.database.online_changes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("discussions", "0991_mood_of_slots")]

    operations = [AddIndexOnline("game", models.Index(fields=["project", "mood"], name="game_by_mood"))]
