"""First seals: those of audit lines that a project archive brought, as they were where the lines were written."""

import hashlib

import msgspec

from workspace.models import Event, FirstSeal

IMPORTED = "project:imported"


def hash_first_seals(project: int | None) -> str:
    """SHA-256 over the first seals of a project's lines, in their order; "" without any."""
    seals = FirstSeal.objects.filter(event__chain__project=project).order_by("event__seq")
    digest, count = hashlib.sha256(), 0
    for row in seals.values_list("event__seq", "chain", "by", "object_id", "mac").iterator(chunk_size=2000):
        digest.update(msgspec.json.encode(row) + b"\n")
        count += 1
    return digest.hexdigest() if count else ""


def load_imports(project: int | None = None) -> dict[int | None, dict[str, object]]:
    """What the log of the installation says of imported projects, by their keys; of one of them if it is given."""
    lines = Event.objects.filter(chain__project=None, verb=IMPORTED, object_kind="project")
    if project is not None:
        lines = lines.filter(object_id=str(project))
    rows = lines.order_by("-seq").values_list("object_id", "detail")
    return {int(key): msgspec.json.decode(detail, type=dict[str, object]) for key, detail in rows}
