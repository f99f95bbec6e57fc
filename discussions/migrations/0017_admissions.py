import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """What leads let judges do, by metric and side."""

    dependencies = [
        ('discussions', '0015_game_search_trigrams'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables(
            [
                migrations.CreateModel(
                    name='Admission',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('metric', models.CharField(max_length=30)),
                        ('side', models.CharField(blank=True, max_length=20)),
                        ('use', models.CharField(choices=[('helps', 'helps'), ('strata', 'strata')], max_length=12)),
                        ('figures', models.JSONField(default=dict)),
                        ('admitted_at', models.DateTimeField()),
                        ('ended_at', models.DateTimeField(blank=True, null=True)),
                        ('ended_why', models.CharField(blank=True, choices=[('withdrawn', 'withdrawn'), ('replaced', 'replaced'), ('suspended', 'suspended'), ('ended', 'ended')], max_length=12)),
                        ('admitted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='admissions', to='discussions.judge')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('judge', 'metric', 'side'), name='admission_open_once'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('ended_by', None)), models.Q(('ended_at__isnull', False), ('ended_by__isnull', False)), _connector='OR'), name='admission_ended_pair')],
                    },
                ),
            ]
        ),
        ForbidChange(
            "discussions_admission",
            columns=("judge_id", "metric", "side", "use", "figures", "admitted_at", "admitted_by_id"),
        ),
    ]
