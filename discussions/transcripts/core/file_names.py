"""File names in the form that people see. No name is ever used as a path."""

from discussions.transcripts.core.audience import PRIVATE, kind_of_title, words_of
from workspace.core.strict_json import normalise_text

# The files in a log of Inspect AI other than its samples.
_BESIDE_SAMPLES = ("header.json", "summaries.json", "reductions.json")
_LEFT_OUT = frozenset(
    "license licence licencia licenza lizenz readme liesmich leeme léeme lisezmoi lisez-moi leggimi leiame leia-me "
    "прочти читайменя 读我 自述 说明 説明 お読みください copying notice changelog thumbs.db desktop.ini".split()
).union(_BESIDE_SAMPLES)
DOCUMENT_ENDINGS = tuple(
    ".pdf .rtf .doc .docx .odt .xls .xlsx .ods .ppt .pptx .odp .pages .numbers .png .jpg .jpeg .gif .svg .webp .bmp "
    ".ico .mp3 .wav .mp4 .mov .css".split()
)
_NOTE_ENDINGS = (*".txt .md .rst .html .htm".split(), *DOCUMENT_ENDINGS)
# Endings of files that may be transcripts.
ENDINGS = (".gz", ".zip", ".json", ".jsonl", ".ndjson", ".txt", ".csv", ".tsv", ".log", ".eval")


def printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def shown_name(name: str) -> str:
    """A file name as people may see it: no folders, no control characters, at most 200 characters."""
    last = _parts(name)[-1]
    plain = printable(last).strip()
    if len(plain) > 200:
        plain = f"{plain[:150]}…{plain[-49:]}"
    return plain or "file"


def shown_path(name: str) -> str:
    """The name of a file of an archive with its last folder, where it has one."""
    *folders, last = _parts(name)
    folders = [folder for folder in folders if folder.strip(". ")]
    return f"{shown_name(folders[-1])}/{shown_name(last)}" if folders else shown_name(last)


def folder_of(name: str) -> str:
    """The folder part of a file's name in an archive; use it only to compare names."""
    return "/".join(_parts(name)[:-1])


def source_name(name: str) -> str:
    """The name without folders and without the endings of transcripts; a game without an id gets this name."""
    plain = shown_name(name)
    while plain.lower().endswith(ENDINGS) and plain.rpartition(".")[0]:
        plain = plain.rpartition(".")[0]
    return plain


def is_plainly_no_transcript(name: str) -> bool:
    """Whether a file of an archive is clearly no transcript: licences, read-me files, what programs leave."""
    *folders, last = _parts(name.lower())
    for ending in _NOTE_ENDINGS:
        last = last.removesuffix(ending)
    is_other = last.startswith(".") or last in _LEFT_OUT
    return is_other or not {"__macosx", "_journal"}.isdisjoint(folders)


def _parts(name: str) -> list[str]:
    return normalise_text(name)[0].replace("\\", "/").split("/")


def is_private_file(name: str) -> bool:
    """Whether the name of a file says that it holds a private channel: "mafia_chat", "whispers"."""
    channels = {"chat", "channel", "talk", "den", "dm", "dms", "pm", "pms", "whisper", "whispers"}
    return kind_of_title(name) == PRIVATE and bool(channels & {*words_of(name)})
