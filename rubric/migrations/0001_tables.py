import django.db.models.deletion
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.squashed import list_replaced
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """All tables as of 0.2.0."""

    initial = True

    replaces = list_replaced('rubric', '0001_tables')

    dependencies = [
        ('workspace', '0002_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables([
            migrations.CreateModel(
                name='Rubric',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.SlugField(max_length=60, unique=True)),
                    ('kind', models.CharField(choices=[('discussion', 'discussion'), ('response', 'response')], max_length=20)),
                    ('name', models.CharField(max_length=200)),
                ],
            ),
            migrations.CreateModel(
                name='RubricVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.CharField(max_length=20)),
                    ('state', models.CharField(default='draft', max_length=12)),
                    ('body', models.TextField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('note', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField()),
                    ('published_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('published_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('rubric', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='rubric.rubric')),
                    ('edited_at', models.DateTimeField(blank=True, null=True)),
                    ('edited_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('reason', models.TextField(blank=True, default='')),
                    ('retired_at', models.DateTimeField(blank=True, null=True)),
                    ('retired_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('retired_reason', models.TextField(blank=True, default='')),
                    ('discarded_at', models.DateTimeField(blank=True, null=True)),
                    ('discarded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('discarded_reason', models.TextField(blank=True, default='')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('rubric', 'number'), name='rubric_version_unique'), models.CheckConstraint(condition=models.Q(models.Q(('published_at', None), ('published_by', None)), models.Q(('published_at__isnull', False), ('published_by__isnull', False)), _connector='OR'), name='rubric_version_published_pair'), models.CheckConstraint(condition=models.Q(models.Q(('edited_at', None), ('edited_by', None)), models.Q(('edited_at__isnull', False), ('edited_by__isnull', False)), _connector='OR'), name='rubric_version_edited_pair'), models.CheckConstraint(condition=models.Q(models.Q(('retired_at', None), ('retired_by', None)), models.Q(('retired_at__isnull', False), ('retired_by__isnull', False)), _connector='OR'), name='rubric_version_retired_pair'), models.CheckConstraint(condition=models.Q(models.Q(('discarded_at', None), ('discarded_by', None)), models.Q(('discarded_at__isnull', False), ('discarded_by__isnull', False)), _connector='OR'), name='rubric_version_discarded_pair'), models.CheckConstraint(condition=models.Q(models.Q(('discarded_at', None), ('published_at', None), ('retired_at', None), ('state', 'draft')), models.Q(('discarded_at', None), ('published_at__isnull', False), ('retired_at', None), ('state__in', ('published', 'imported'))), models.Q(('discarded_at', None), ('published_at__isnull', False), ('retired_at__isnull', False), ('state', 'retired')), models.Q(('discarded_at__isnull', False), ('published_at', None), ('retired_at', None), ('state', 'discarded')), _connector='OR'), name='rubric_version_state_fits')],
                },
            ),
            migrations.CreateModel(
                name='ComparisonSet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=200)),
                    ('mode', models.CharField(choices=[('holistic', 'holistic'), ('rubric', 'rubric'), ('both', 'both')], max_length=12)),
                    ('has_second_round', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('closed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparison_sets', to='workspace.project')),
                    ('rubric_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparison_sets', to='rubric.rubricversion')),
                    ('people_needed', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('repeat_percent', models.PositiveSmallIntegerField(default=0)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='comparison_set_number_unique'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('closed_by', None)), models.Q(('closed_at__isnull', False), ('closed_by__isnull', False)), _connector='OR'), name='comparison_set_closed_pair'), models.CheckConstraint(condition=models.Q(('mode__in', ['holistic', 'rubric', 'both'])), name='comparison_set_mode_known'), models.CheckConstraint(condition=models.Q(('repeat_percent', 0), models.Q(('has_second_round', False), ('repeat_percent__lte', 50)), _connector='OR'), name='comparison_set_repeats_fit')],
                },
            ),
            migrations.CreateModel(
                name='Comparison',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('key', models.CharField(max_length=120)),
                    ('question', models.TextField()),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparisons', to='rubric.comparisonset')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('set', 'number'), name='comparison_number_unique'), models.UniqueConstraint(fields=('set', 'key'), name='comparison_key_unique')],
                },
            ),
            migrations.CreateModel(
                name='Reviewer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('person', 'person'), ('model', 'model'), ('elsewhere', 'reviewed elsewhere')], max_length=12)),
                    ('name', models.CharField(max_length=200)),
                    ('model', models.CharField(blank=True, max_length=200)),
                    ('parameters', models.JSONField(default=dict)),
                    ('created_at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reviewers', to=settings.AUTH_USER_MODEL)),
                    ('set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviewers', to='rubric.comparisonset')),
                    ('could_see_since', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('person__isnull', False)), fields=('set', 'person'), name='reviewer_person_once'), models.UniqueConstraint(condition=models.Q(('person', None)), fields=('set', 'kind', 'name'), name='reviewer_name_once'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'person'), ('person__isnull', False)), models.Q(('kind__in', ['model', 'elsewhere']), ('person', None)), _connector='OR'), name='reviewer_kind_fits'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', None)), models.Q(('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='reviewer_ended_pair')],
                },
            ),
            migrations.CreateModel(
                name='Review',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('round', models.PositiveSmallIntegerField(default=1)),
                    ('state', models.CharField(default='draft', max_length=12)),
                    ('seed', models.CharField(max_length=32)),
                    ('order', models.JSONField()),
                    ('version', models.PositiveIntegerField(default=0)),
                    ('mode', models.CharField(blank=True, max_length=12)),
                    ('ranking', models.JSONField(default=list)),
                    ('reported_ranking', models.JSONField(blank=True, null=True)),
                    ('flags', models.JSONField(default=list)),
                    ('created_at', models.DateTimeField()),
                    ('submitted_at', models.DateTimeField(blank=True, null=True)),
                    ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='rubric.comparison')),
                    ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='rubric.reviewer')),
                    ('corrected_at', models.DateTimeField(blank=True, null=True)),
                    ('corrected_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('correction', models.JSONField(blank=True, default=dict)),
                    ('reader', models.PositiveSmallIntegerField(default=1)),
                    ('criteria_first', models.BooleanField(default=False)),
                    ('is_blind', models.BooleanField(default=True)),
                    ('purpose', models.CharField(choices=[('rating', 'rating'), ('calibration', 'calibration'), ('repeat', 'repeat')], default='rating', max_length=12)),
                    ('read_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='readings', to='rubric.review')),
                ],
                options={
                    'indexes': [models.Index(fields=['reviewer', 'state'], name='review_by_reviewer')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('round__in', [1, 2])), name='review_round_known'), models.CheckConstraint(condition=models.Q(models.Q(('corrected_at', None), ('corrected_by', None)), models.Q(('corrected_at__isnull', False), ('corrected_by__isnull', False)), _connector='OR'), name='review_corrected_pair'), models.UniqueConstraint(condition=models.Q(('state', 'superseded'), _negated=True), fields=('comparison', 'reviewer', 'round', 'purpose'), name='review_once_per_round'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'draft'), ('submitted_at', None)), models.Q(('purpose', 'rating'), ('state', 'submitted'), ('submitted_at__isnull', False)), models.Q(('purpose__in', ['calibration', 'repeat']), ('state', 'set_apart'), ('submitted_at__isnull', False)), models.Q(('purpose', 'rating'), ('state', 'superseded')), _connector='OR'), name='review_state_fits'), models.CheckConstraint(condition=models.Q(('purpose', 'rating'), models.Q(('purpose__in', ['calibration', 'repeat']), ('round', 1)), _connector='OR'), name='review_purpose_fits')],
                },
            ),
            migrations.CreateModel(
                name='Mark',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=12)),
                    ('subject', models.CharField(max_length=120)),
                    ('value', models.TextField(blank=True)),
                    ('reason', models.TextField(blank=True)),
                    ('version', models.PositiveIntegerField(default=0)),
                    ('review', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='marks', to='rubric.review')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('review', 'kind', 'subject'), name='mark_once_per_subject')],
                },
            ),
            migrations.CreateModel(
                name='ImpactPreview',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('part', models.CharField(max_length=20)),
                    ('sha256', models.CharField(max_length=64)),
                    ('basis_sha256', models.CharField(blank=True, max_length=64)),
                    ('body', models.TextField()),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='previews', to='rubric.rubricversion')),
                ],
                options={
                    'indexes': [models.Index(fields=['version', 'part', 'sha256'], name='preview_by_draft')],
                },
            ),
            migrations.CreateModel(
                name='MarkRevision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveIntegerField()),
                    ('value', models.TextField(blank=True)),
                    ('reason', models.TextField(blank=True)),
                    ('took_ms', models.PositiveIntegerField(blank=True, null=True)),
                    ('undoes', models.PositiveIntegerField(blank=True, null=True)),
                    ('key', models.CharField(max_length=160)),
                    ('body_sha256', models.CharField(max_length=64)),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('mark', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='revisions', to='rubric.mark')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('mark', 'version'), name='mark_revision_version_unique'), models.UniqueConstraint(fields=('created_by', 'key'), name='mark_revision_key_unique')],
                },
            ),
            migrations.CreateModel(
                name='Response',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('key', models.CharField(max_length=120)),
                    ('text', models.TextField()),
                    ('word_count', models.PositiveIntegerField()),
                    ('author', models.CharField(blank=True, max_length=200)),
                    ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='rubric.comparison')),
                    ('written_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('comparison', 'number'), name='response_number_unique'), models.UniqueConstraint(fields=('comparison', 'key'), name='response_key_unique'), models.CheckConstraint(condition=models.Q(('number__gte', 1), ('number__lte', 26)), name='response_number_fits')],
                },
            ),
            migrations.CreateModel(
                name='Answer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('source', models.CharField(choices=[('pasted', 'pasted'), ('uploaded', 'uploaded'), ('fetched', 'fetched')], max_length=12)),
                    ('attempt', models.PositiveSmallIntegerField(default=1)),
                    ('model', models.CharField(blank=True, max_length=200)),
                    ('parameters', models.JSONField(default=dict)),
                    ('text', models.TextField(blank=True)),
                    ('finish_reason', models.CharField(blank=True, max_length=40)),
                    ('prompt_tokens', models.PositiveIntegerField(blank=True, null=True)),
                    ('answer_tokens', models.PositiveIntegerField(blank=True, null=True)),
                    ('cost_usd', models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True)),
                    ('took_ms', models.PositiveIntegerField(blank=True, null=True)),
                    ('error_code', models.CharField(blank=True, max_length=40)),
                    ('error', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('review', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='rubric.review')),
                    ('part', models.CharField(blank=True, max_length=10)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('review', 'attempt'), name='answer_attempt_unique'), models.CheckConstraint(condition=models.Q(('cost_usd', None), ('cost_usd__gte', Decimal('0')), _connector='OR'), name='answer_cost_not_negative')],
                },
            ),
            migrations.CreateModel(
                name='ReviewedResponse',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('scores', models.JSONField(default=dict)),
                    ('holistic', models.FloatField(blank=True, null=True)),
                    ('reported_overall', models.FloatField(blank=True, null=True)),
                    ('is_incomplete', models.BooleanField(default=False)),
                    ('is_own', models.BooleanField(default=False)),
                    ('notes', models.TextField(blank=True)),
                    ('cannot_judge', models.JSONField(default=dict)),
                    ('response', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviewed', to='rubric.response')),
                    ('review', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviewed', to='rubric.review')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('review', 'response'), name='reviewed_response_once')],
                },
            ),
            migrations.CreateModel(
                name='ReviewPrompt',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField()),
                    ('nonce', models.CharField(max_length=64)),
                    ('sha256', models.CharField(max_length=64)),
                    ('created_at', models.DateTimeField()),
                    ('review', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='prompt', to='rubric.review')),
                ],
            ),
            migrations.CreateModel(
                name='SetFigures',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=20)),
                    ('input_sha256', models.CharField(max_length=64)),
                    ('body', models.TextField()),
                    ('created_at', models.DateTimeField()),
                    ('set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='figures', to='rubric.comparisonset')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('set', 'kind', 'input_sha256'), name='set_figures_unique')],
                },
            ),
            migrations.CreateModel(
                name='Survey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('arm', models.CharField(choices=[('with', 'with'), ('without', 'without')], max_length=8)),
                    ('pair', models.JSONField(default=list)),
                    ('understood', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('named', models.CharField(blank=True, max_length=120)),
                    ('is_right', models.BooleanField(blank=True, null=True)),
                    ('text', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField()),
                    ('answered_at', models.DateTimeField(blank=True, null=True)),
                    ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='surveys', to='rubric.comparison')),
                    ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('comparison', 'person'), name='survey_once_per_person'), models.CheckConstraint(condition=models.Q(('understood', None), models.Q(('understood__gte', 1), ('understood__lte', 5)), _connector='OR'), name='survey_understood_fits')],
                },
            ),
            migrations.CreateModel(
                name='ScoringChoice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('is_on', models.BooleanField()),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='WholePrompt',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField()),
                    ('nonce', models.CharField(max_length=64)),
                    ('sha256', models.CharField(max_length=64)),
                    ('created_at', models.DateTimeField()),
                    ('review', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='whole_prompt', to='rubric.review')),
                ],
            ),
            migrations.CreateModel(
                name='CalibrationRound',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=200)),
                    ('is_required', models.BooleanField(default=True)),
                    ('mark_within', models.DecimalField(decimal_places=2, default=1, max_digits=3)),
                    ('pass_percent', models.PositiveSmallIntegerField(default=80)),
                    ('first_percent', models.PositiveSmallIntegerField(default=0)),
                    ('created_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('closed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calibration_rounds', to='rubric.comparisonset')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('set', 'number'), name='set_calibration_number_unique'), models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('set',), name='set_calibration_one_open'), models.CheckConstraint(condition=models.Q(('first_percent__lte', 100), ('pass_percent__gte', 1), ('pass_percent__lte', 100)), name='set_calibration_percents'), models.CheckConstraint(condition=models.Q(('mark_within__gte', 0), ('mark_within__lte', 9)), name='set_calibration_mark_within'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('closed_by', None)), models.Q(('closed_at__isnull', False), ('closed_by__isnull', False)), _connector='OR'), name='set_calibration_closed_pair')],
                },
            ),
            migrations.CreateModel(
                name='CalibrationComparison',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('place', models.PositiveSmallIntegerField()),
                    ('key', models.TextField()),
                    ('note', models.TextField(blank=True)),
                    ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calibrations', to='rubric.comparison')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparisons', to='rubric.calibrationround')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'comparison'), name='set_calibration_comparison_once'), models.UniqueConstraint(fields=('round', 'place'), name='set_calibration_place_unique')],
                },
            ),
            migrations.CreateModel(
                name='CalibrationWaiver',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.TextField()),
                    ('created_at', models.DateTimeField()),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='rubric.reviewer')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='waivers', to='rubric.calibrationround')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'reviewer'), name='set_calibration_waiver_once'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='set_calibration_waiver_has_reason')],
                },
            ),
        ]),
        ForbidChange(
            'rubric_rubricversion',
            columns=(
                'rubric_id', 'number', 'body', 'sha256', 'note', 'created_at', 'created_by_id', 'edited_at',
                'edited_by_id', 'published_at', 'published_by_id', 'reason', 'discarded_at', 'discarded_by_id',
                'discarded_reason',
            ),
            once='OLD.published_at IS NOT NULL OR OLD.discarded_at IS NOT NULL',
        ),
        ForbidChange(
            'rubric_comparisonset',
            columns=(
                'project_id', 'number', 'rubric_version_id', 'mode', 'has_second_round', 'created_at',
                'created_by_id',
            ),
        ),
        ForbidChange('rubric_comparison'),
        ForbidChange('rubric_response'),
        ForbidChange(
            'rubric_reviewer',
            columns=('set_id', 'kind', 'name', 'person_id', 'model', 'created_at', 'created_by_id'),
        ),
        ForbidChange(
            'rubric_review',
            columns=(
                'comparison_id', 'reviewer_id', 'round', 'purpose', 'seed', 'order', 'created_at', 'read_from_id',
                'correction', 'corrected_by_id', 'corrected_at',
            ),
        ),
        ForbidChange('rubric_reviewedresponse'),
        ForbidChange('rubric_mark', columns=('review_id', 'kind', 'subject')),
        ForbidChange('rubric_markrevision'),
        ForbidChange('rubric_reviewprompt'),
        ForbidChange('rubric_answer'),
        ForbidChange('rubric_setfigures'),
        ForbidChange('rubric_impactpreview'),
        ForbidChange('rubric_scoringchoice'),
        ForbidChange('rubric_survey', once='OLD.answered_at IS NOT NULL'),
        ForbidChange('rubric_wholeprompt'),
        ForbidChange(
            'rubric_calibrationround',
            columns=(
                'set_id', 'number', 'name', 'is_required', 'mark_within', 'pass_percent', 'first_percent',
                'created_at', 'created_by_id',
            ),
        ),
        ForbidChange('rubric_calibrationcomparison'),
        ForbidChange('rubric_calibrationwaiver'),
    ]
