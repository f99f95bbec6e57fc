from django.db import migrations

from workspace.database.online_changes import ChangeInBatches


def fill(_apps, games):
    """All games are alike."""
    games.filter(mood=None).update(mood="calm")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("discussions", "0992_mood_index")]

    operations = [ChangeInBatches("Game", fill)]
