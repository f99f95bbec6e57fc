"""The card of a Hugging Face data set: its front matter in YAML, and a table of fields for each configuration."""

import json
from collections.abc import Mapping, Sequence

from workspace.core.markdown import plain
from workspace.exports.core.tables import INTEGER, NUMBER, YES_NO, ExportTable, describe_tables

_TYPES = {INTEGER: "int64", NUMBER: "float64", YES_NO: "bool"}


def write_card(title: str, tables: Sequence[ExportTable], counts: Mapping[str, int]) -> str:
    configs = [
        f"- config_name: {table.name}\n  data_files: data/{table.name}.jsonl\n"
        + ("  default: true\n" if number == 0 else "")
        for number, table in enumerate(tables)
    ]
    features = [
        f"- config_name: {table.name}\n  features:\n"
        + "".join(
            f"  - name: {column.name}\n    dtype: {_TYPES.get(column.kind, 'string')}\n"
            for column in table.columns
        )
        + f"  splits:\n  - name: train\n    num_examples: {counts[table.name]}\n"
        for table in tables
    ]
    # A string of JSON is one of YAML, too, whatever is in it.
    front = f"---\npretty_name: {json.dumps(title)}\n"
    if tables:
        front += f"configs:\n{''.join(configs)}dataset_info:\n{''.join(features)}"
    intro = (
        'Each table is a configuration: `load_dataset("path/to/this/folder", "games")` loads one, if it is below. '
        "Moments are texts in ISO 8601, in UTC. A value that is not known is null."
    )
    return f"{front}---\n\n# {plain(title)}\n\n{intro}\n\n## Fields\n\n{describe_tables(tables)}"
