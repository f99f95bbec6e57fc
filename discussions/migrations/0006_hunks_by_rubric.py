from django.db import migrations

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """How many places of a prompt may change without an answer is the rubric version's to say, not the table's."""

    dependencies = [("discussions", "0005_iteration_history_append_only")]

    operations = [
        migrations.RemoveConstraint("iteration", "iteration_hunks_answered"),
        ForbidChange(
            "discussions_iteration",
            columns=(
                "project_id", "stage_id", "number", "kind", "prompt", "prompt_sha256", "compared_with_id", "baseline_id",
                "target", "material", "change_note", "hunk_count", "hunks_answer", "least_games", "created_at",
                "created_by_id", "opened_at", "opened_by_id",
            ),
            once="OLD.opened_at IS NOT NULL",
        ),
    ]
