import json

from django.db import migrations, models

from workspace.database.append_only import ForbidChange

FEW_REFERENCES = 5


def count_weak_passes(apps, schema_editor):
    """Recorded verdicts say how many of their metrics pass by the rule or, memory accuracy, on few references."""
    verdicts = apps.get_model("discussions", "Verdict").objects
    for key, outcome in verdicts.values_list("pk", "outcome").iterator(chunk_size=500):
        count = sum(map(_is_weak, json.loads(outcome)["lines"]))
        if count:
            verdicts.filter(pk=key).update(weak_pass_count=count)


def _is_weak(line):
    if not line["passes"] or line.get("manual_check", {}).get("decides"):
        return False
    return not line.get("is_applicable", True) or (
        line["key"] == "memory_accuracy" and line["denominator"] < FEW_REFERENCES
    )


def take_down(apps, schema_editor):
    """Let the new column of evidence be filled once; the triggers stand again at the end of this migration."""
    ForbidChange("discussions_verdict").take_down(schema_editor.connection)


class Migration(migrations.Migration):
    """Verdicts are found by whether a metric passes with nothing, or with few references, to count."""

    dependencies = [("discussions", "0015_round_offsets")]

    operations = [
        migrations.AddField("verdict", "weak_pass_count", models.PositiveSmallIntegerField(default=0)),
        migrations.RunPython(take_down, migrations.RunPython.noop),
        migrations.RunPython(count_weak_passes, migrations.RunPython.noop),
        ForbidChange("discussions_verdict"),
    ]
