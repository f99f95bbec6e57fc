import django.db.models.deletion
import django.db.models.functions.comparison
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.squashed import list_replaced
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """All other tables as of 0.2.0; after those of other apps, whose migrations render all that refers to people."""

    initial = True

    replaces = list_replaced('workspace', '0002_tables')

    dependencies = [
        ('workspace', '0001_people'),
        ('account', '0009_emailaddress_unique_primary_email'),
        ('mfa', '0003_authenticator_type_uniq'),
    ]

    operations = [
        ChangeTables([
            migrations.CreateModel(
                name='Heartbeat',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('worker', models.CharField(max_length=120, unique=True)),
                    ('beat_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='Project',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60, unique=True)),
                    ('name', models.CharField(max_length=200)),
                    ('created_at', models.DateTimeField()),
                    ('next_game_number', models.PositiveIntegerField(default=1)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('erased_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'ordering': ('name',),
                },
            ),
            migrations.CreateModel(
                name='Chain',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('seq', models.PositiveBigIntegerField(default=0)),
                    ('mac', models.CharField(blank=True, max_length=64)),
                    ('project', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='chain', to='workspace.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(django.db.models.functions.comparison.Coalesce('project', 0), name='chain_one_per_project')],
                },
            ),
            migrations.CreateModel(
                name='Event',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('seq', models.PositiveBigIntegerField()),
                    ('at', models.DateTimeField()),
                    ('role', models.CharField(max_length=20)),
                    ('verb', models.CharField(max_length=60)),
                    ('object_kind', models.CharField(max_length=40)),
                    ('object_id', models.CharField(max_length=40)),
                    ('detail', models.TextField(default='{}')),
                    ('mac', models.CharField(max_length=64)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('chain', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='workspace.chain')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('chain', 'seq'), name='event_seq_unique')],
                },
            ),
            migrations.CreateModel(
                name='Membership',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(choices=[('evaluator', 'evaluator'), ('lead', 'team lead')], max_length=20)),
                    ('created_at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='workspace.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('project', 'person'), name='membership_one_at_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', None)), models.Q(('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='membership_ended_pair')],
                },
            ),
            migrations.CreateModel(
                name='Job',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=40)),
                    ('subject', models.CharField(max_length=80)),
                    ('input_hash', models.CharField(blank=True, max_length=64)),
                    ('state', models.CharField(default='queued', max_length=12)),
                    ('attempt', models.PositiveIntegerField(default=0)),
                    ('fence', models.PositiveIntegerField(default=0)),
                    ('lease_until', models.DateTimeField(blank=True, null=True)),
                    ('done_count', models.PositiveIntegerField(default=0)),
                    ('total_count', models.PositiveIntegerField(default=0)),
                    ('done_bytes', models.PositiveBigIntegerField(default=0)),
                    ('total_bytes', models.PositiveBigIntegerField(default=0)),
                    ('created_at', models.DateTimeField()),
                    ('rung_at', models.DateTimeField(blank=True, null=True)),
                    ('started_at', models.DateTimeField(blank=True, null=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('cancelled_at', models.DateTimeField(blank=True, null=True)),
                    ('error_code', models.CharField(blank=True, max_length=40)),
                    ('error', models.TextField(blank=True)),
                    ('cancelled_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='workspace.project')),
                    ('suspects', models.JSONField(default=list)),
                    ('faults', models.JSONField(db_default={}, default=dict)),
                    ('cause', models.TextField(blank=True, db_default='', default='')),
                    ('queued_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['state', 'lease_until'], name='job_waiting')],
                    'constraints': [models.UniqueConstraint(fields=('kind', 'subject', 'input_hash'), name='job_unique'), models.CheckConstraint(condition=models.Q(models.Q(('cancelled_at', None), ('cancelled_by', None)), models.Q(('cancelled_at__isnull', False), ('cancelled_by__isnull', False)), _connector='OR'), name='job_cancelled_pair')],
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('email', models.EmailField(max_length=200)),
                    ('name', models.CharField(blank=True, max_length=200)),
                    ('role', models.CharField(choices=[('evaluator', 'evaluator'), ('lead', 'team lead'), ('admin', 'admin')], max_length=20)),
                    ('secret_hash', models.CharField(max_length=64, unique=True)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('accepted_at', models.DateTimeField(blank=True, null=True)),
                    ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                    ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('withdrawn_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='workspace.project')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('accepted_at', None), ('accepted_by', None)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False)), _connector='OR'), name='invitation_accepted_pair'), models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at', None), ('withdrawn_by', None)), models.Q(('withdrawn_at__isnull', False), ('withdrawn_by__isnull', False)), _connector='OR'), name='invitation_withdrawn_pair'), models.CheckConstraint(condition=models.Q(models.Q(('project', None), ('role', 'admin')), models.Q(models.Q(('role', 'admin'), _negated=True), ('project__isnull', False)), _connector='OR'), name='invitation_project_unless_admin')],
                },
            ),
            migrations.CreateModel(
                name='Counter',
                fields=[
                    ('key', models.CharField(max_length=250, primary_key=True, serialize=False)),
                    ('value', models.TextField()),
                    ('expires_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['expires_at'], name='counter_expiry')],
                },
            ),
            migrations.CreateModel(
                name='SignIn',
                fields=[
                    ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                    ('session_data', models.TextField(verbose_name='session data')),
                    ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                    ('person', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sign_ins', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'session',
                    'verbose_name_plural': 'sessions',
                },
            ),
            migrations.CreateModel(
                name='AccessToken',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100)),
                    ('scopes', models.CharField(max_length=60)),
                    ('start', models.CharField(max_length=12)),
                    ('secret_hash', models.CharField(max_length=64, unique=True)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('used_at', models.DateTimeField(blank=True, null=True)),
                    ('used_address', models.CharField(blank=True, max_length=45)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='access_tokens', to=settings.AUTH_USER_MODEL)),
                    ('revoked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('revoked_at', None), ('revoked_by', None)), models.Q(('revoked_at__isnull', False), ('revoked_by__isnull', False)), _connector='OR'), name='access_token_revoked_pair')],
                },
            ),
            migrations.CreateModel(
                name='KeptAnswer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=160)),
                    ('request_sha256', models.CharField(max_length=64)),
                    ('status', models.PositiveSmallIntegerField()),
                    ('body', models.TextField()),
                    ('created_at', models.DateTimeField(db_index=True)),
                    ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('person', 'key'), name='kept_answer_once')],
                },
            ),
            migrations.CreateModel(
                name='Export',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('format', models.CharField(max_length=20)),
                    ('is_unblinded', models.BooleanField()),
                    ('has_pseudonyms', models.BooleanField(default=False)),
                    ('has_byte_order_mark', models.BooleanField(default=False)),
                    ('seed', models.CharField(max_length=32)),
                    ('stored_as', models.CharField(blank=True, max_length=80)),
                    ('byte_count', models.PositiveBigIntegerField(default=0)),
                    ('created_at', models.DateTimeField()),
                    ('ready_at', models.DateTimeField(blank=True, null=True)),
                    ('expires_at', models.DateTimeField(blank=True, null=True)),
                    ('removed_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('job', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workspace.job')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to='workspace.project')),
                    ('subject', models.CharField(max_length=3000)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('expires_at__isnull', False), ('removed_at', None)), fields=['expires_at'], name='export_with_file')],
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('expires_at', None), ('ready_at', None), ('stored_as', '')), models.Q(('expires_at__isnull', False), ('ready_at__isnull', False), models.Q(('stored_as', ''), _negated=True)), _connector='OR'), name='export_ready_whole')],
                },
            ),
            migrations.CreateModel(
                name='Webhook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100)),
                    ('url', models.CharField(max_length=1000)),
                    ('secret', models.CharField(max_length=400)),
                    ('events', models.CharField(max_length=200)),
                    ('is_active', models.BooleanField(default=True)),
                    ('failure_count', models.PositiveIntegerField(default=0)),
                    ('failing_since', models.DateTimeField(blank=True, null=True)),
                    ('paused_until', models.DateTimeField(blank=True, null=True)),
                    ('gave_up_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField()),
                    ('removed_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='webhooks', to='workspace.project')),
                    ('removed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('old_secrets', models.JSONField(blank=True, default=list)),
                    ('has_scores', models.BooleanField(default=False)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('removed_at', None), ('removed_by', None)), models.Q(('removed_at__isnull', False), ('removed_by__isnull', False)), _connector='OR'), name='webhook_removed_pair')],
                },
            ),
            migrations.CreateModel(
                name='Delivery',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('identifier', models.CharField(max_length=40, unique=True)),
                    ('event', models.CharField(max_length=40)),
                    ('body', models.TextField()),
                    ('state', models.CharField(default='waiting', max_length=12)),
                    ('attempt_count', models.PositiveIntegerField(default=0)),
                    ('attempted_at', models.DateTimeField(blank=True, null=True)),
                    ('next_attempt_at', models.DateTimeField(blank=True, null=True)),
                    ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField(db_index=True)),
                    ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='workspace.webhook')),
                ],
                options={
                    'indexes': [models.Index(fields=['webhook', 'id'], name='delivery_of_webhook'), models.Index(condition=models.Q(('state', 'waiting')), fields=['webhook', 'id'], name='delivery_waiting')],
                },
            ),
            migrations.CreateModel(
                name='FirstSeal',
                fields=[
                    ('event', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='first_seal', serialize=False, to='workspace.event')),
                    ('chain', models.PositiveBigIntegerField()),
                    ('by', models.PositiveBigIntegerField()),
                    ('object_id', models.CharField(max_length=40)),
                    ('mac', models.CharField(max_length=64)),
                ],
            ),
            migrations.CreateModel(
                name='NotificationSettings',
                fields=[
                    ('person', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='notification_settings', serialize=False, to=settings.AUTH_USER_MODEL)),
                    ('hidden', models.CharField(blank=True, max_length=200)),
                    ('unmailed', models.CharField(blank=True, max_length=200)),
                    ('digest', models.CharField(max_length=12)),
                ],
            ),
            migrations.CreateModel(
                name='Email',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('address', models.EmailField(max_length=200)),
                    ('purpose', models.CharField(max_length=20)),
                    ('subject', models.CharField(max_length=200)),
                    ('body', models.TextField(blank=True)),
                    ('state', models.CharField(default='waiting', max_length=12)),
                    ('attempt_count', models.PositiveIntegerField(default=0)),
                    ('next_attempt_at', models.DateTimeField(blank=True, null=True)),
                    ('expires_at', models.DateTimeField()),
                    ('error', models.CharField(blank=True, max_length=300)),
                    ('created_at', models.DateTimeField(db_index=True)),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['next_attempt_at'], name='email_waiting'), models.Index(fields=['person', 'purpose', 'created_at'], name='email_of_person')],
                },
            ),
            migrations.CreateModel(
                name='Notification',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.CharField(max_length=30)),
                    ('about', models.JSONField(default=dict)),
                    ('subject', models.CharField(max_length=80)),
                    ('for_leads', models.BooleanField(default=False)),
                    ('is_shown', models.BooleanField(default=True)),
                    ('created_at', models.DateTimeField(db_index=True)),
                    ('read_at', models.DateTimeField(blank=True, null=True)),
                    ('email_due_at', models.DateTimeField(blank=True, null=True)),
                    ('person', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workspace.project')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('is_shown', True)), fields=['person', 'read_at'], name='notification_unread'), models.Index(fields=['person', 'id'], name='notification_of_person'), models.Index(fields=['project', 'subject'], name='notification_subject'), models.Index(condition=models.Q(('email_due_at__isnull', False)), fields=['email_due_at'], name='notification_due')],
                },
            ),
            migrations.CreateModel(
                name='StorageLimit',
                fields=[
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='storage_limit', serialize=False, to='workspace.project')),
                    ('megabytes', models.PositiveIntegerField()),
                    ('changed_at', models.DateTimeField()),
                    ('changed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('megabytes__gte', 1)), name='storage_limit_positive')],
                },
            ),
            migrations.CreateModel(
                name='Erasure',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('game', 'game'), ('transcript', 'transcript'), ('project', 'project'), ('person', 'person')], max_length=12)),
                    ('row', models.PositiveBigIntegerField()),
                    ('stamp', models.CharField(max_length=64)),
                    ('reason', models.TextField()),
                    ('counts', models.JSONField(default=dict)),
                    ('created_at', models.DateTimeField()),
                    ('done_at', models.DateTimeField(blank=True, null=True)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('job', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workspace.job')),
                    ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workspace.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('kind', 'row'), name='erasure_once'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='erasure_has_reason')],
                },
            ),
            migrations.CreateModel(
                name='ErasurePass',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('table', models.CharField(max_length=60)),
                    ('row', models.PositiveBigIntegerField()),
                    ('erasure', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='passes', to='workspace.erasure')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('table', 'row'), name='erasure_pass_once')],
                },
            ),
        ]),
        ForbidChange('workspace_event'),
        ForbidChange('workspace_firstseal'),
    ]
