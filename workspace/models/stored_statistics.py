"""The columns that every table of stored statistics has."""

from django.db import models


class StoredStatistics(models.Model):
    """Statistics of one kind as JSON, never changed; statistics of the present input are found by its hash."""

    kind = models.CharField(max_length=30)
    input_sha256 = models.CharField(max_length=64)
    body = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        abstract = True
