"""What time the database thinks it is: one clock for the leases of all workers, whatever their own clocks say."""

from datetime import datetime

from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """The present moment by the database's clock; with SQLite, which is on this very machine, by the machine's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
