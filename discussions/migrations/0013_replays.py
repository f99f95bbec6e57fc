import django.db.models.deletion
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """A baseline may play the prompt of an earlier iteration again."""

    dependencies = [("discussions", "0012_waiting_for_leads")]

    operations = [
        ChangeTables([
            migrations.AddField(
                "iteration",
                "replay_of",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="replayed_by",
                    to="discussions.iteration",
                ),
            ),
            migrations.AddConstraint(
                "iteration",
                models.CheckConstraint(
                    condition=models.Q(
                        ("replay_of", None),
                        models.Q(("kind", "baseline"), models.Q(("replay_of", models.F("id")), _negated=True)),
                        _connector="OR",
                    ),
                    name="iteration_replay_is_baseline",
                ),
            ),
        ]),
        ForbidChange(
            "discussions_iteration",
            columns=(
                "project_id", "stage_id", "number", "kind", "prompt", "prompt_sha256", "compared_with_id", "baseline_id",
                "replay_of_id", "target", "material", "change_note", "hunk_count", "hunks_answer", "least_games",
                "created_at", "created_by_id", "opened_at", "opened_by_id",
            ),
            once="OLD.opened_at IS NOT NULL",
        ),
    ]
