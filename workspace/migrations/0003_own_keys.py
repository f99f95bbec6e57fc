from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workspace", "0002_triggers")]

    operations = [
        migrations.AddField("person", "keys", models.JSONField(blank=True, null=True)),
    ]
