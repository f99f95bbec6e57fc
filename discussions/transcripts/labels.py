"""The formats of transcripts as the page of imports shows them, with the sample files that come with the product."""

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from discussions.transcripts.core.formats import FORMATS

# Format -> file under static/samples: the example of docs/transcripts.md.
SAMPLES = {
    "native": "native.json",
    "csv": "messages.csv",
    "jsonl": "messages.jsonl",
    "json_turns": "turns.json",
    "chat_text": "chat.txt",
    "openai_chat": "chat.json",
    "inspect": "inspect.json",
    "agent_traces": "trace.json",
}


class FormatSample(msgspec.Struct, frozen=True):
    """A format, how its files look, and the static path of a sample; "" for formats of public collections."""

    name: str
    looks: Promise | str
    sample: str


FORMAT_SAMPLES = [
    FormatSample(
        known.name, _(known.looks), f"samples/{SAMPLES[known.name]}" if known.name in SAMPLES else ""
    )
    for known in FORMATS
]
