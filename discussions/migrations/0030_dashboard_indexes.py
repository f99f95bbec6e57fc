from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

from workspace.database.indexes import DropIndexes
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """The dashboard reads narrow indexes: it looks at no wide row of a verdict, and at no game that needs nobody."""

    dependencies = [
        ("discussions", "0029_fewer_indexes"),
        ("rubric", "0022_fewer_indexes"),
        ("workspace", "0014_fewer_indexes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables([
            migrations.AddIndex(
                "evaluation",
                models.Index(
                    condition=Q(("state", "draft"), ("state", "returned"), _connector="OR"),
                    fields=["evaluator"],
                    name="evaluation_open",
                ),
            ),
            migrations.AddIndex(
                "evaluation",
                models.Index(
                    condition=Q(("submitted_at__isnull", False)),
                    fields=["submitted_at"],
                    name="evaluation_by_submission",
                ),
            ),
            migrations.AddIndex(
                "game",
                models.Index(
                    condition=Q(("withdrawn_at__isnull", False)),
                    fields=["project", "iteration"],
                    name="game_withdrawn",
                ),
            ),
            migrations.AddIndex(
                "remark",
                models.Index(
                    condition=Q(("kind", "flag"), ("resolved_at", None)),
                    fields=["evaluation"],
                    name="remark_open_flag",
                ),
            ),
            migrations.AddIndex(
                "slot",
                models.Index(
                    condition=Q(("evaluator__isnull", False), ("is_closed", False)),
                    fields=["project", "game"],
                    name="slot_taken",
                ),
            ),
            migrations.AddIndex(
                "verdict",
                models.Index(
                    fields=["game", "rubric_version", "passes", "weak_pass_count"], name="verdict_by_game"
                ),
            ),
            migrations.AddIndex(
                "verdict",
                models.Index(fields=["project", "created_at", "game", "passes"], name="verdict_by_time"),
            ),
        ]),
        DropIndexes("Verdict", "game"),
    ]
