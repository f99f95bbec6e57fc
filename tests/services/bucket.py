"""An S3 server on this machine, with one empty bucket."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import boto3

from tools.launch import ROOT
from tools.processes import Child, wait_until
from tools.redis_server import free_port

KEYS = {"AWS_ACCESS_KEY_ID": "only-for-tests", "AWS_SECRET_ACCESS_KEY": "only-for-tests"}
NAME = "evalsite-tests"


class BucketServer(NamedTuple):
    """Its port, and the variables with which a site uses the bucket, there or at another port (of a proxy)."""

    port: int

    def env(self, port: int = 0) -> dict[str, str]:
        """What a site is given."""
        url = f"s3://{NAME}/site?region=us-east-1&endpoint=http://127.0.0.1:{port or self.port}"
        return KEYS | {"STORAGE_URL": url}


@contextmanager
def bucket_server(folder: Path) -> Iterator[BucketServer]:
    """A server that runs while the block does; what it held is gone afterwards."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    child = Child("bucket", command, dict(os.environ) | KEYS, folder / "bucket.log", ROOT)
    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="only-for-tests",
        aws_secret_access_key="only-for-tests",
    )

    def is_made() -> bool:
        try:
            client.create_bucket(Bucket=NAME)
        except OSError:
            return False
        except client.exceptions.ClientError:
            return False
        return True

    child.start()
    try:
        assert wait_until(lambda: _answers(port)), child.last_lines()
        assert is_made(), child.last_lines()
        yield BucketServer(port)
    finally:
        child.kill()


def _answers(port: int) -> bool:
    import socket

    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
