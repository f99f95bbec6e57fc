import django.db.models.deletion
from django.db import migrations, models

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """Lines that came with a project archive keep the seals that they were first written with."""

    dependencies = [
        ('workspace', '0007_webhooks'),
    ]

    operations = [
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
        ForbidChange("workspace_firstseal"),
    ]
