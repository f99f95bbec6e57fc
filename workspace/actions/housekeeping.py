"""The daily round, done by whichever sweep comes first: audit heads out of the database, old rows away."""

from datetime import datetime
from pathlib import Path

from django.conf import settings

from workspace.actions.verifying import heads_file, keep_heads
from workspace.models import Counter, Person, SignIn


def keep_house(*, by: Person, now: datetime) -> bool:
    """Do the day's round unless it was done; whether there was anything to do. Costs one look at a file otherwise."""
    if heads_file(Path(settings.VAR_DIR), now).exists():
        return False
    SignIn.objects.filter(expire_date__lt=now).delete()
    Counter.objects.filter(expires_at__lt=now).delete()
    keep_heads(by=by, now=now)
    return True
