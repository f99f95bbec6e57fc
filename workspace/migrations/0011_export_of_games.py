from django.db import migrations, models


class Migration(migrations.Migration):
    """An export can be of several games, named by their numbers."""

    dependencies = [("workspace", "0010_old_webhook_secrets")]

    operations = [migrations.AlterField("export", "subject", models.CharField(max_length=3000))]
