from django.db import migrations
from django.db.models import Exists, OuterRef


def give_unsorted_zero(apps, schema_editor):
    """The unsorted games of a project leave number 1 to the first iteration of a stage.

    Iterations that are there keep their numbers: addresses, the audit log and what leads wrote name them.
    """
    apps.get_model("discussions", "Iteration").objects.filter(stage=None, number=1).update(number=0)


def give_unsorted_one(apps, schema_editor):
    """The number from before, where no iteration of a stage has it meanwhile; 0 works for older code, too."""
    iterations = apps.get_model("discussions", "Iteration").objects
    taken = iterations.filter(project=OuterRef("project"), number=1)
    iterations.filter(~Exists(taken), stage=None, number=0).update(number=1)


class Migration(migrations.Migration):
    """Unsorted games are number 0, so that stages count their iterations from 1."""

    dependencies = [("discussions", "0016_weak_passes")]

    operations = [migrations.RunPython(give_unsorted_zero, give_unsorted_one)]
