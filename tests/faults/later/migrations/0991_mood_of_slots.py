from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("discussions", "0990_mood")]

    operations = [migrations.AddField("slot", "mood", models.TextField(null=True))]
