"""The files of exports, written item by item in flat memory to whatever binary files the caller opened."""

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, Protocol

import msgspec

from workspace.core.markdown import plain
from workspace.display.core.csv_lines import csv_line
from workspace.exports.core import tables

Spool = Callable[[], IO[bytes]]
_CARD_TYPES = {tables.INTEGER: "int64", tables.NUMBER: "float64", tables.YES_NO: "bool"}
_CHUNK = 1024 * 1024
_ROW_GROUP = 5_000
_ENCODER = msgspec.json.Encoder()
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ExportFile(Protocol):
    """A file that items are added to. `close` writes what is left, and calls `tick` where that takes long."""

    def add(self, item: tables.Item) -> None:
        pass

    def close(self, tick: Callable[[], None]) -> None:
        pass


class JsonLinesFile:
    def __init__(self, out: IO[bytes]) -> None:
        self.out, self.buffer = out, bytearray(64 * 1024)

    def add(self, item: tables.Item) -> None:
        """Write one item; parts of it that are JSON already (`msgspec.Raw`) are passed through."""
        _ENCODER.encode_into(item, self.buffer)
        self.buffer += b"\n"
        self.out.write(self.buffer)

    def close(self, tick: Callable[[], None]) -> None:
        """Nothing is left to write."""


class _TablesFile:
    """A zip with one file per table; the tables are first collected in separate files."""

    suffix = ""
    compression = zipfile.ZIP_DEFLATED

    def __init__(
        self, out: IO[bytes], tables: Sequence[tables.ExportTable], rows_of: tables.RowsOf, spool: Spool
    ) -> None:
        self.out, self.rows_of = out, rows_of
        self.tables = {table.name: table for table in tables}
        self.parts = {name: spool() for name in self.tables}
        self.counts = dict.fromkeys(self.parts, 0)

    def add(self, item: tables.Item) -> None:
        for name, source in self.rows_of(item):
            self.counts[name] += 1
            self.write_row(self.tables[name], self.tables[name].read_row(source))

    def write_row(self, table: tables.ExportTable, values: list[tables.Value]) -> None:
        raise NotImplementedError

    def finish_parts(self) -> None:
        pass

    def list_parts(self) -> list[str]:
        return list(self.parts)

    def close(self, tick: Callable[[], None]) -> None:
        """Put the parts into the zip. Its files have no date, so the same rows make the same bytes."""
        self.finish_parts()
        with zipfile.ZipFile(self.out, "w", self.compression, compresslevel=1) as archive:
            self.add_more(archive)
            for name in self.list_parts():
                part = self.parts[name]
                part.seek(0)
                with archive.open(f"{self.suffix.format(name)}", "w", force_zip64=True) as inside:
                    while chunk := part.read(_CHUNK):
                        inside.write(chunk)
                        tick()
        for part in self.parts.values():
            part.close()

    def add_more(self, archive: zipfile.ZipFile) -> None:
        pass


class CsvFile(_TablesFile):
    """A zip of CSV files; spreadsheets recognise UTF-8 by the byte order mark, programs do without it."""

    suffix = "{}.csv"

    def __init__(self, *given: Any, has_byte_order_mark: bool) -> None:
        super().__init__(*given)
        for table in self.tables.values():
            head = csv_line([column.name for column in table.columns]).encode()
            self.parts[table.name].write(BYTE_ORDER_MARK + head if has_byte_order_mark else head)

    def write_row(self, table: tables.ExportTable, values: list[tables.Value]) -> None:
        self.parts[table.name].write(csv_line([tables.to_plain(value) for value in values]).encode())


def _write_card(title: str, chosen: Sequence[tables.ExportTable], counts: Mapping[str, int]) -> str:
    """The README.md: front matter in YAML, and a table of fields for each configuration."""
    configs = [
        f"- config_name: {table.name}\n  data_files: data/{table.name}.jsonl\n"
        + ("  default: true\n" if number == 0 else "")
        for number, table in enumerate(chosen)
    ]
    features = [
        f"- config_name: {table.name}\n  features:\n"
        + "".join(
            f"  - name: {column.name}\n    dtype: {_CARD_TYPES.get(column.kind, 'string')}\n"
            for column in table.columns
        )
        + f"  splits:\n  - name: train\n    num_examples: {counts[table.name]}\n"
        for table in chosen
    ]
    # A string of JSON is one of YAML, too, whatever is in it.
    front = f"---\npretty_name: {json.dumps(title)}\n"
    if chosen:
        front += f"configs:\n{''.join(configs)}dataset_info:\n{''.join(features)}"
    intro = (
        'Each table is a configuration: `load_dataset("path/to/this/folder", "games")` loads one, if it is below. '
        "Moments are texts in ISO 8601, in UTC. A value that is not known is null."
    )
    return f"{front}---\n\n# {plain(title)}\n\n{intro}\n\n## Fields\n\n{tables.describe_tables(chosen)}"


class HuggingFaceFile(_TablesFile):
    """A zip of JSON lines and a card, as `datasets` loads them. That fails on empty files, so these are left out."""

    suffix = "data/{}.jsonl"

    def __init__(self, *given: Any, title: str) -> None:
        super().__init__(*given)
        self.title = title

    def write_row(self, table: tables.ExportTable, values: list[tables.Value]) -> None:
        row = {
            column.name: tables.to_plain(value) for column, value in zip(table.columns, values, strict=True)
        }
        self.parts[table.name].write(_ENCODER.encode(row) + b"\n")

    def list_parts(self) -> list[str]:
        return [name for name, count in self.counts.items() if count]

    def add_more(self, archive: zipfile.ZipFile) -> None:
        filled = [table for table in self.tables.values() if self.counts[table.name]]
        archive.writestr(zipfile.ZipInfo("README.md"), _write_card(self.title, filled, self.counts))


class ParquetFile(_TablesFile):
    """A zip of Parquet files, which are compressed by themselves. Raises ImportError where pyarrow is not installed."""

    suffix = "{}.parquet"
    compression = zipfile.ZIP_STORED

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        import pyarrow
        from pyarrow import parquet

        kinds = {
            tables.INTEGER: pyarrow.int64(),
            tables.NUMBER: pyarrow.float64(),
            tables.YES_NO: pyarrow.bool_(),
            tables.MOMENT: pyarrow.timestamp("us", tz="UTC"),
        }
        self.schemas = {
            table.name: pyarrow.schema(
                [(column.name, kinds.get(column.kind, pyarrow.string())) for column in table.columns]
            )
            for table in self.tables.values()
        }
        self.arrow = pyarrow
        self.waiting: dict[str, list[list[tables.Value]]] = {name: [] for name in self.parts}
        self.writers = {
            name: parquet.ParquetWriter(part, self.schemas[name]) for name, part in self.parts.items()
        }

    def write_row(self, table: tables.ExportTable, values: list[tables.Value]) -> None:
        waiting = self.waiting[table.name]
        waiting.append(values)
        if len(waiting) >= _ROW_GROUP:
            self._write_waiting(table.name)

    def finish_parts(self) -> None:
        for name, writer in self.writers.items():
            self._write_waiting(name)
            writer.close()

    def _write_waiting(self, name: str) -> None:
        rows, schema = self.waiting[name], self.schemas[name]
        if rows:
            columns = [
                self.arrow.array(list(values), type=field.type)
                for values, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            self.writers[name].write_table(self.arrow.ExportTable.from_arrays(columns, schema=schema))
            rows.clear()
