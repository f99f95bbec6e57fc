"""Access tokens of the API, and the first answers to its keyed requests."""

from django.db import models

from workspace.database.pairs import set_together
from workspace.models.people import Made, Person


class AccessToken(Made):
    """What a program signs in with on behalf of a person; only a keyed hash of its secret is kept.

    `scopes` are words of `workspace.tokens.core.SCOPES` with spaces between them, `start` is how the secret begins.
    """

    person = models.ForeignKey(Person, models.PROTECT, related_name="access_tokens")
    name = models.CharField(max_length=100)
    scopes = models.CharField(max_length=60)
    start = models.CharField(max_length=12)
    secret_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_address = models.CharField(max_length=45, blank=True)

    class Meta:
        constraints = (set_together("revoked_at", "revoked_by", name="access_token_revoked_pair"),)

    def __str__(self) -> str:
        return self.name


class KeptAnswer(models.Model):
    """The first answer to a request that was sent under an idempotency key, kept for some days."""

    person = models.ForeignKey(Person, models.PROTECT, related_name="+")
    key = models.CharField(max_length=160)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.TextField()
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["person", "key"], name="kept_answer_once"),)
