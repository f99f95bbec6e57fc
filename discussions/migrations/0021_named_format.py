from django.db import migrations, models
from django.db.models import F

from workspace.database.append_only import ForbidChange


def keep_named_formats(apps, schema_editor):
    """Until a file is read, its format was the one that a person named."""
    transcripts = apps.get_model('discussions', 'Transcript').objects
    waiting = transcripts.filter(job__state__in=['queued', 'running', 'cancelled', 'failed'])
    waiting.update(named_format=F('format'))


class Migration(migrations.Migration):
    """The format that a person named is kept apart from the one that was found in the file."""

    dependencies = [
        ('discussions', '0020_guidelines'),
    ]

    operations = [
        migrations.AddField(
            model_name='transcript',
            name='named_format',
            field=models.CharField(blank=True, default='', max_length=30),
            preserve_default=False,
        ),
        ForbidChange(
            "discussions_transcript",
            columns=("project_id", "name", "sha256", "byte_count", "is_separate", "created_at", "created_by_id"),
        ),
        migrations.RunPython(keep_named_formats, migrations.RunPython.noop),
    ]
