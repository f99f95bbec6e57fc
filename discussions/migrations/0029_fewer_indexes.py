from django.db import migrations

from workspace.database.indexes import DropIndexes


class Migration(migrations.Migration):
    dependencies = [("discussions", "0028_rated_under_own_numbers")]
    operations = [
        DropIndexes("Evaluation", "game", "evaluator"),
        DropIndexes("Judgement", "evaluation"),
        DropIndexes("Revision", "judgement", "created_by"),
        DropIndexes("Reveal", "evaluation"),
        DropIndexes("Slot", "game", "evaluator"),
        DropIndexes("Measured", "game"),
    ]
