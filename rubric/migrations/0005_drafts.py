import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """Who edited a draft, why it was published, and retiring. A version that was published is never a draft again."""

    dependencies = [
        ('rubric', '0004_first_response_version'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables([
            migrations.AddField(
                model_name='rubricversion',
                name='edited_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='rubricversion',
                name='edited_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='rubricversion',
                name='reason',
                field=models.TextField(blank=True, default=''),
            ),
            migrations.AddField(
                model_name='rubricversion',
                name='retired_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='rubricversion',
                name='retired_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='rubricversion',
                name='retired_reason',
                field=models.TextField(blank=True, default=''),
            ),
            migrations.AddConstraint(
                model_name='rubricversion',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('edited_at', None), ('edited_by', None)), models.Q(('edited_at__isnull', False), ('edited_by__isnull', False)), _connector='OR'), name='rubric_version_edited_pair'),
            ),
            migrations.AddConstraint(
                model_name='rubricversion',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('retired_at', None), ('retired_by', None)), models.Q(('retired_at__isnull', False), ('retired_by__isnull', False)), _connector='OR'), name='rubric_version_retired_pair'),
            ),
            migrations.AddConstraint(
                model_name='rubricversion',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('published_at', None), ('retired_at', None), ('state', 'draft')), models.Q(('published_at__isnull', False), ('retired_at', None), ('state', 'published')), models.Q(('published_at__isnull', False), ('retired_at__isnull', False), ('state', 'retired')), _connector='OR'), name='rubric_version_state_fits'),
            ),
        ]),
        ForbidChange(
            "rubric_rubricversion",
            columns=(
                "rubric_id", "number", "body", "sha256", "note", "created_at", "created_by_id", "edited_at", "edited_by_id",
                "published_at", "published_by_id", "reason",
            ),
            once="OLD.published_at IS NOT NULL",
        ),
    ]
