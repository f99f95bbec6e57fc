"""The formats of transcripts as the page of imports shows them, with the sample files that come with the product."""

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


# Each format, how its files look, and the static path of a sample; "" for formats of public collections.
FORMAT_SAMPLES = [
    {
        "name": known.name,
        "looks": _(known.looks),
        "sample": f"samples/{SAMPLES[known.name]}" if known.name in SAMPLES else "",
    }
    for known in FORMATS
]
