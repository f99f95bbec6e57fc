import django.db.models.functions.text
from django.db import migrations, models

from workspace.database.squashed import list_replaced
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """First and alone: tables of other apps refer to people, and each of their migrations renders all that do."""

    initial = True

    replaces = list_replaced('workspace', '0001_people')

    dependencies = [
    ]

    operations = [
        ChangeTables([
            migrations.CreateModel(
                name='Person',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('password', models.CharField(max_length=128, verbose_name='password')),
                    ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                    ('email', models.EmailField(max_length=200, unique=True)),
                    ('name', models.CharField(max_length=200)),
                    ('is_active', models.BooleanField(default=True)),
                    ('is_admin', models.BooleanField(default=False)),
                    ('is_system', models.BooleanField(default=False)),
                    ('has_single_keys', models.BooleanField(default=True)),
                    ('time_zone', models.CharField(blank=True, max_length=60)),
                    ('created_at', models.DateTimeField()),
                    ('is_service', models.BooleanField(default=False)),
                    ('oidc_issuer', models.CharField(blank=True, max_length=500)),
                    ('oidc_subject', models.CharField(blank=True, max_length=255)),
                    ('keys', models.JSONField(blank=True, null=True)),
                    ('erased_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'verbose_name_plural': 'people',
                    'constraints': [models.CheckConstraint(condition=models.Q(('email', django.db.models.functions.text.Lower('email'))), name='person_email_lower'), models.UniqueConstraint(condition=models.Q(('is_system', True)), fields=('is_system',), name='person_one_system'), models.UniqueConstraint(condition=models.Q(('oidc_subject', ''), _negated=True), fields=('oidc_issuer', 'oidc_subject'), name='person_one_oidc_subject')],
                },
            ),
        ]),
    ]
