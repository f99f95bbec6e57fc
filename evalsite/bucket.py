"""An S3 bucket as a storage of Django; only loaded where STORAGE_URL names one.

Its faults are those of a disk (OSError), with a sentence for people. A file is stored whole or not at all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.cache import cache
from django.core.files.base import File
from django.utils.translation import gettext as _
from storages.backends.s3 import S3Storage

from workspace.core.refusals import Unavailable

# Seconds to connect and to the next bytes, and how often a call is made altogether: a page must not wait for long.
CALLS = Config(connect_timeout=3, read_timeout=10, retries={"total_max_attempts": 2, "mode": "standard"})
MEASURED, MEASURED_FOR = "bucket_measured", 600
NOT_THERE, NO_SUCH_RANGE = ("404", "NoSuchKey"), "InvalidRange"


class StorageAway(Unavailable, OSError):
    """The bucket does not answer, or refuses. A job that meets it is tried again."""


@contextmanager
def _as_faults_of_a_disk(name: str = "") -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError, Boto3Error) as fault:
        if isinstance(fault, ClientError) and fault.response["Error"]["Code"] in NOT_THERE:
            raise FileNotFoundError(name) from fault
        sentence = _(
            "The storage of files does not answer, so nothing was stored. Try again in a minute; if it lasts, tell "
            "an admin."
        )
        raise StorageAway(sentence, code="storage_away") from fault


class Bucket(S3Storage):
    def __init__(self, **options: Any) -> None:
        given = {"client_config": CALLS, "file_overwrite": True, "max_memory_size": 8 * 1024 * 1024}
        super().__init__(**given | options)

    def read_range(self, name: str, start: int, count: int) -> bytes:
        """The bytes from `start`, `count` of them or, when that is negative, all. Raises FileNotFoundError."""
        some = {"Range": f"bytes={start}-{start + count - 1}"} if count >= 0 else {}
        with _as_faults_of_a_disk(name):
            try:
                found: bytes = self.bucket.Object(self._normalize_name(name)).get(**some)["Body"].read()
            except ClientError as fault:
                if fault.response["Error"]["Code"] == NO_SUCH_RANGE:
                    return b""
                raise
        return found

    def measure(self) -> tuple[int, int]:
        """How many files there are, and their bytes; known for ten minutes, since all of them are listed."""

        def ask() -> tuple[int, int]:
            sizes = [found.size for found in self.bucket.objects.filter(Prefix=f"{self.location}/")]
            return len(sizes), sum(sizes)

        with _as_faults_of_a_disk():
            found: Any = cache.get_or_set(MEASURED, ask, timeout=MEASURED_FOR)
        return found[0], found[1]

    def check(self) -> None:
        """Raises StorageAway, FileNotFoundError without such a bucket."""
        with _as_faults_of_a_disk(self.bucket_name):
            self.connection.meta.client.head_bucket(Bucket=self.bucket_name)

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        with _as_faults_of_a_disk(name):
            opened = super()._open(name, mode)
            assert opened.file is not None  # fetched here, where a fault is told
            return opened

    def _save(self, name: str, content: "File[Any]") -> str:
        with _as_faults_of_a_disk(name):
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        with _as_faults_of_a_disk(name):
            super().delete(name)

    def exists(self, name: str) -> bool:
        with _as_faults_of_a_disk(name):
            return bool(super().exists(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with _as_faults_of_a_disk(path):
            folders, files = super().listdir(path)
        return folders, files
