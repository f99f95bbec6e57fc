"""Lines of the audit log as CSV and as JSON Lines."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC

import msgspec

from workspace.audit.queries import AuditLine
from workspace.display.core.csv_lines import csv_line

COLUMNS = ("line", "at", "by", "role", "verb", "about", "number", "sentence", "page", "detail", "seal")


def write_csv(lines: Iterable[AuditLine]) -> Iterator[bytes]:
    """A heading and a row for each line; texts that a spreadsheet would take for a formula are marked as text."""
    yield csv_line(COLUMNS).encode()
    for line in lines:
        yield csv_line([str(value) for value in to_record(line).values()]).encode()


def write_json_lines(lines: Iterable[AuditLine]) -> Iterator[bytes]:
    for line in lines:
        record = to_record(line) | {"detail": msgspec.Raw(line.event.detail.encode())}
        yield msgspec.json.encode(record) + b"\n"


def to_record(line: AuditLine) -> dict[str, object]:
    """The line under the names of COLUMNS, in their order; times are UTC, the detail is the JSON as it was sealed."""
    event = line.event
    values = (
        event.seq,
        event.at.astimezone(UTC).isoformat(timespec="seconds"),
        line.who,
        event.role,
        event.verb,
        event.object_kind,
        event.object_id,
        line.sentence,
        line.thing.page,
        event.detail,
        event.mac,
    )
    return dict(zip(COLUMNS, values, strict=True))


FORMATS: dict[str, tuple[str, Callable[[Iterable[AuditLine]], Iterator[bytes]]]] = {
    "csv": ("text/csv; charset=utf-8; header=present", write_csv),
    "jsonl": ("application/jsonl", write_json_lines),
}
