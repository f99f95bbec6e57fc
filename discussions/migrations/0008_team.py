import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """Leases and assigned places, adjudications, calibration rounds, rules of queues and figures of the team."""

    dependencies = [
        ('discussions', '0007_withdrawals'),
        ('workspace', '0004_sign_ins'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables([
            migrations.CreateModel(
                name='Adjudication',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=30)),
                    ('subject', models.CharField(max_length=200)),
                    ('number', models.PositiveIntegerField()),
                    ('value', models.CharField(blank=True, max_length=40)),
                    ('reason', models.TextField()),
                    ('sides_sha256', models.CharField(max_length=64)),
                    ('key', models.CharField(max_length=160)),
                    ('body_sha256', models.CharField(max_length=64)),
                    ('created_at', models.DateTimeField()),
                    ('adopted', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='discussions.evaluation')),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('game', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='discussions.game')),
                    ('supersedes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='discussions.adjudication')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('game', 'kind', 'subject', 'number'), name='adjudication_number_unique'),
                        models.UniqueConstraint(fields=('created_by', 'key'), name='adjudication_key_unique'),
                        models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='adjudication_has_reason'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='CalibrationRound',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=200)),
                    ('is_required', models.BooleanField(default=True)),
                    ('pass_percent', models.PositiveSmallIntegerField(default=80)),
                    ('rating_within', models.DecimalField(decimal_places=2, default=1, max_digits=3)),
                    ('created_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('closed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calibration_rounds', to='workspace.project')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('project', 'number'), name='calibration_number_unique'),
                        models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('project',), name='calibration_one_open_per_project'),
                        models.CheckConstraint(condition=models.Q(('pass_percent__gte', 1), ('pass_percent__lte', 100)), name='calibration_pass_percent'),
                        models.CheckConstraint(condition=models.Q(('rating_within__gte', 0), ('rating_within__lte', 4)), name='calibration_rating_within'),
                        models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('closed_by', None)), models.Q(('closed_at__isnull', False), ('closed_by__isnull', False)), _connector='OR'), name='calibration_closed_pair'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='CalibrationGame',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('place', models.PositiveSmallIntegerField()),
                    ('key', models.TextField()),
                    ('note', models.TextField(blank=True)),
                    ('game', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='discussions.game')),
                    ('verdict', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='discussions.verdict')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='games', to='discussions.calibrationround')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('round', 'game'), name='calibration_game_once'),
                        models.UniqueConstraint(fields=('round', 'place'), name='calibration_place_unique'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='QueueRule',
                fields=[
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='queue_rule', serialize=False, to='workspace.project')),
                    ('order', models.CharField(choices=[('random', 'in random order, each person their own'), ('oldest', 'oldest first')], default='random', max_length=12)),
                    ('repeat_percent', models.PositiveSmallIntegerField(default=0)),
                    ('changed_at', models.DateTimeField()),
                    ('changed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('repeat_percent__lte', 50)), name='queue_rule_repeat_percent'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='TeamFigures',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=30)),
                    ('input_sha256', models.CharField(max_length=64)),
                    ('body', models.TextField()),
                    ('evaluation_count', models.PositiveIntegerField()),
                    ('created_at', models.DateTimeField()),
                    ('job', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workspace.job')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workspace.project')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('project', 'kind', 'input_sha256'), name='team_figures_once'),
                    ],
                },
            ),
            migrations.AddField(
                model_name='evaluation',
                name='released_reason',
                field=models.TextField(blank=True),
            ),
            migrations.AddField(
                model_name='evaluation',
                name='shown_number',
                field=models.PositiveIntegerField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='game',
                name='needed_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='game',
                name='needed_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='game',
                name='needed_count',
                field=models.PositiveSmallIntegerField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='game',
                name='needed_reason',
                field=models.TextField(blank=True),
            ),
            migrations.AddField(
                model_name='slot',
                name='assigned_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='slot',
                name='assigned_by',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='slot',
                name='assigned_to',
                field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
            ),
            migrations.AddField(
                model_name='slot',
                name='project',
                field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workspace.project'),
            ),
            migrations.AddField(
                model_name='slot',
                name='shuffle',
                field=models.PositiveIntegerField(null=True),
            ),
            migrations.AddIndex(
                model_name='slot',
                index=models.Index(condition=models.Q(('assigned_to', None), ('evaluator', None), ('is_closed', False)), fields=['project', 'purpose', 'shuffle'], name='slot_free_by_chance'),
            ),
            migrations.AddIndex(
                model_name='slot',
                index=models.Index(condition=models.Q(('assigned_to', None), ('evaluator', None), ('is_closed', False)), fields=['project', 'purpose', 'game', 'number'], name='slot_free_by_age'),
            ),
            migrations.AddIndex(
                model_name='slot',
                index=models.Index(condition=models.Q(('assigned_to__isnull', False), ('evaluator', None), ('is_closed', False)), fields=['assigned_to'], name='slot_kept_free'),
            ),
            migrations.AddIndex(
                model_name='slot',
                index=models.Index(condition=models.Q(('lease_until__isnull', False)), fields=['lease_until'], name='slot_by_lease'),
            ),
            migrations.AddConstraint(
                model_name='evaluation',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('purpose', 'repeat'), ('shown_number__isnull', False)), models.Q(models.Q(('purpose', 'repeat'), _negated=True), ('shown_number', None)), _connector='OR'), name='evaluation_repeat_is_renumbered'),
            ),
            migrations.AddConstraint(
                model_name='game',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('needed_at', None), ('needed_by', None), ('needed_count', None), ('needed_reason', '')), models.Q(('needed_at__isnull', False), ('needed_by__isnull', False), ('needed_count__gte', 1), models.Q(('needed_reason', ''), _negated=True)), _connector='OR'), name='game_needed_whole'),
            ),
            migrations.AddConstraint(
                model_name='slot',
                constraint=models.UniqueConstraint(condition=models.Q(('assigned_to__isnull', False)), fields=('game', 'purpose', 'assigned_to'), name='slot_assigned_once_per_game'),
            ),
            migrations.AddConstraint(
                model_name='slot',
                constraint=models.CheckConstraint(condition=models.Q(('lease_until', None), models.Q(('evaluator__isnull', False), ('is_closed', False)), _connector='OR'), name='slot_lease_of_somebody'),
            ),
            migrations.AddConstraint(
                model_name='slot',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('assigned_at', None), ('assigned_by', None), ('assigned_to', None)), models.Q(('assigned_at__isnull', False), ('assigned_by__isnull', False), ('assigned_to__isnull', False)), _connector='OR'), name='slot_assigned_whole'),
            ),
            migrations.AddConstraint(
                model_name='slot',
                constraint=models.CheckConstraint(condition=models.Q(('assigned_to', None), ('evaluator', None), ('evaluator', models.F('assigned_to')), _connector='OR'), name='slot_kept_for_one'),
            ),
        ]),
    ]
