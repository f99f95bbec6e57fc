import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """People say what the columns of a project's files mean; files that wait for that are found."""

    dependencies = [
        ('discussions', '0017_unsorted_is_no_iteration'),
        ('workspace', '0004_sign_ins'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables([
            migrations.AddField(
                model_name='transcript',
                name='waits_for_columns',
                field=models.BooleanField(default=False),
            ),
            migrations.CreateModel(
                name='ColumnMapping',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('columns_sha256', models.CharField(max_length=64)),
                    ('columns', models.TextField()),
                    ('fields', models.TextField()),
                    ('created_at', models.DateTimeField()),
                    ('removed_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='column_mappings', to='workspace.project')),
                    ('removed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('transcript', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='discussions.transcript')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('project', 'columns_sha256'), name='column_mapping_once_per_project'), models.CheckConstraint(condition=models.Q(models.Q(('removed_at', None), ('removed_by', None)), models.Q(('removed_at__isnull', False), ('removed_by__isnull', False)), _connector='OR'), name='column_mapping_removed_pair')],
                },
            ),
        ]),
        ForbidChange(
            "discussions_columnmapping",
            columns=(
                "project_id", "transcript_id", "columns_sha256", "columns", "fields", "created_at", "created_by_id",
            ),
        ),
        ForbidChange(
            "discussions_transcript",
            columns=("project_id", "name", "sha256", "byte_count", "is_separate", "created_at", "created_by_id"),
        ),
    ]
