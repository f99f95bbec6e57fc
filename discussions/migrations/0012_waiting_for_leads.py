from django.db import migrations, models
from django.db.models import Exists, OuterRef, Subquery

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables

ASIDE = {"evaluation:skipped", "lease:ended", "place:released"}


def fill(apps, schema_editor):
    """What was handed in and waits for a verdict says so; what is set aside says since when, as the audit log has it."""
    Slot, Verdict, Evaluation = (apps.get_model("discussions", name) for name in ("Slot", "Verdict", "Evaluation"))
    recorded = Verdict.objects.filter(game=OuterRef("game"))
    work = Evaluation.objects.filter(slot=OuterRef("pk"), state="submitted", evaluator=OuterRef("evaluator"))
    handed_in = Slot.objects.filter(~Exists(recorded), purpose="rating", is_closed=True, evaluator__isnull=False)
    handed_in.update(awaiting_since=Subquery(work.values("submitted_at")[:1]))
    aside = {str(key): key for key in Evaluation.objects.filter(state__in=("skipped", "lapsed")).values_list("pk", flat=True)}
    events = apps.get_model("workspace", "Event").objects.filter(verb__in=ASIDE).order_by("at", "pk")
    since = {aside[key]: at for key, at in events.values_list("object_id", "at").iterator() if key in aside}
    for key, at in since.items():
        Evaluation.objects.filter(pk=key).update(set_aside_at=at)


class Migration(migrations.Migration):
    """What waits for leads is found without looking at what is done: verdicts to record, imports with faults."""

    dependencies = [("discussions", "0011_calibration_waivers"), ("workspace", "0004_sign_ins")]

    operations = [
        ChangeTables([
            migrations.AddField("slot", "awaiting_since", models.DateTimeField(blank=True, null=True)),
            migrations.AddField("evaluation", "set_aside_at", models.DateTimeField(blank=True, null=True)),
            migrations.AddIndex(
                "slot",
                models.Index(
                    condition=models.Q(("awaiting_since__isnull", False)),
                    fields=["project", "game"],
                    name="slot_awaiting_verdict",
                ),
            ),
            migrations.AddIndex(
                "transcript",
                models.Index(
                    condition=models.Q(("fault_count__gt", 0)), fields=["project", "id"], name="transcript_with_faults"
                ),
            ),
        ]),
        migrations.RunPython(fill, migrations.RunPython.noop),
        ForbidChange("discussions_slot", columns=("project_id", "game_id", "purpose", "number", "shuffle")),
        ForbidChange(
            "discussions_evaluation",
            columns=(
                "game_id", "evaluator_id", "purpose", "seed", "identification", "shown_number", "created_at",
            ),
        ),
    ]
