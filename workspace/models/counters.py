"""Small values that expire: the counts behind the rate limits, shared by all processes."""

from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone


class CounterQuerySet(models.QuerySet["Counter"]):
    def count_up(self, key: str, *, until: datetime, by: int = 1) -> int:
        """Add to the number under a key, which starts at 0 and expires then; return the number, at most 2**31 - 1."""
        table = connection.ops.quote_name(self.model._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} (key, value, expires_at) VALUES (%s, %s, %s) ON CONFLICT (key) DO UPDATE "  # noqa: S608
                f"SET value = CAST(CAST({table}.value AS integer) + %s AS text) RETURNING value",
                [key, str(by), connection.ops.adapt_datetimefield_value(until), by],
            )
            return int(cursor.fetchone()[0])


class Counter(models.Model):
    """One value under a key, until a moment (for ever without one)."""

    key = models.CharField(max_length=250, primary_key=True)
    value = models.TextField()
    expires_at = models.DateTimeField(null=True, blank=True)

    objects = CounterQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=["expires_at"], name="counter_expiry"),)

    def __str__(self) -> str:
        return self.key


class RowCache(BaseCache):
    """Django's cache over `Counter` rows: JSON only, and `add` lets exactly one caller through.

    Django's database cache and file cache store pickles, the file cache's `add` is not atomic, and a cache in memory
    gives every process its own limits.
    """

    def __init__(self, _location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The value, or `default` when there is none or it expired."""
        row = self._alive().filter(key=self._key(key, version)).first()
        return default if row is None else msgspec.json.decode(row.value)

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Store a value that is plain JSON."""
        Counter.objects.update_or_create(key=self._key(key, version), defaults=self._row(value, timeout))

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Store a value unless there is one; return whether it was stored."""
        name = self._key(key, version)
        Counter.objects.filter(expires_at__lte=timezone.now()).delete()
        try:
            with transaction.atomic():
                Counter.objects.create(key=name, **self._row(value, timeout))
        except IntegrityError:
            return False
        return True

    def delete(self, key: str, version: int | None = None) -> bool:
        """Delete a value; return whether there was one."""
        return bool(Counter.objects.filter(key=self._key(key, version)).delete()[0])

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Give a value a new expiry; return whether there was one."""
        rows = self._alive().filter(key=self._key(key, version))
        return bool(rows.update(expires_at=self._row(None, timeout)["expires_at"]))

    def clear(self) -> None:
        """Delete everything."""
        Counter.objects.all().delete()

    def _key(self, key: str, version: int | None) -> str:
        return str(self.make_and_validate_key(key, version=version))

    def _alive(self) -> "models.QuerySet[Counter]":
        return Counter.objects.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=timezone.now()))

    def _row(self, value: Any, timeout: Any) -> dict[str, Any]:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        until = None if seconds is None else timezone.now() + timedelta(seconds=seconds)
        return {"value": msgspec.json.encode(value).decode(), "expires_at": until}
