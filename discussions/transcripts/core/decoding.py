"""Bytes of a text file to text: UTF-8, UTF-16 with its mark, or what a person named. No other encoding is guessed.

One exception: Windows-1252 from older programs, where its few bytes beyond ASCII stand as accents and quotes do.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from discussions.transcripts.core.logged_lines import as_json_lines
from discussions.transcripts.core.readers.markup import as_rows, without_html
from discussions.transcripts.core.readers.yaml_values import as_json
from workspace.core.json_items import blank_between
from workspace.core.words import say

BOM = b"\xef\xbb\xbf"
UTF_8, WINDOWS = "utf-8", "windows_1252"
# What a person may name -> the codec of Python.
ENCODINGS = {
    "utf-8": "utf-8", "utf-16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "gb18030": "gb18030",
    "big5": "cp950", "shift_jis": "cp932", "euc-jp": "euc_jp", "euc-kr": "cp949", "windows-1250": "cp1250",
    "windows-1251": "cp1251", "windows-1252": "cp1252", "windows-1253": "cp1253", "windows-1254": "cp1254",
    "windows-1255": "cp1255", "windows-1256": "cp1256", "windows-1257": "cp1257", "koi8-r": "koi8_r",
}  # fmt: skip
_LIST_OF_TEXTS = re.compile(rb"\s*+\[\s*+\"")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_NO_TEXT = re.compile("[\x01-\x06\x08\x0b\x0e-\x1a\x1c-\x1f]")
# How many bytes are decoded at once where no more is needed, how many are judged, and how much of them is shown.
_PIECE, _JUDGED, _SHOWN, MOST_PROPOSED = 1024 * 1024, 64 * 1024, 40, 3
_BEYOND = re.compile("[^\0-\x7f]+")
# The tag before a text that colours set apart.
FAINT = "<faint>"
# Colours of terminals, links and titles; and what is left of colours where their first sign was lost or written out.
_COLOURS = re.compile(
    "\x1b\\[[0-9;:?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\\\)|\x1b[()][0-9A-B]|\x1b[@-Z\\\\^_]|\x07"
)
_LOST = re.compile(
    rb"(?:(?:\^\[|\\x1b|\\033|\\e|\\u001b|<0x1b>|\xe2\x90\x9b|\xef\xbf\xbd)\[(?=[\d;]{0,15}m)|\[(?=\d[\d;]{0,15}m))"
)
_JSON = re.compile(rb"\s{0,99}(?:\{|\[\s{0,99}[\[{\"])")
_RESET = re.compile(rb"\[(?:0|39|22)?m")
# What sets a text faint, slanted, hidden or grey, as thoughts may be: the numbers of a colour.
_FAINT_NUMBERS = (
    r"(?:(?!38|48)\d\d?;){0,3}(?:[238]|90|38;5;(?:8|2[34]\d)|38;2;(?P<grey>\d{1,3});(?P=grey);(?P=grey))"
    r"(?:;\d{1,3}){0,5}"
)
# Colours as JSON writes them, texts that they set apart, and whether such a text is several words.
_ESCAPED = re.compile(rb"(?<!\\)\\u001[bB]\[[0-9;:?]{0,40}[ -/]{0,3}[@-~]")
_ESCAPED_FAINT = re.compile(
    rf"(?<!\\)\\u001[bB]\[{_FAINT_NUMBERS}m".encode()
    + rb"(?P<said>(?>(?:[^\"\\]++|\\(?!u001[bB]).){1,200000}))"
)
_TWO_WORDS = re.compile(rb"[^\W\d_][^\w ]{0,3} \w|[^\0-\x7f]{6}|(?:\\u[0-9a-f]{4}){2}")
# Sentences that are set apart so up to the end of a line.
_FAINT = re.compile(
    rf"^[ \t]*\x1b\[{_FAINT_NUMBERS}m"
    r"(?P<said>[^\W\d_](?:[^\s\x1b]*+(?: [^\s\x1b]++){2}|[^\s\x00-\x7f]{3})[^\x1b]*+)"
    r"(?<=[.!?…。！？])\x1b\[[\d;]*m[ \t\r]*$",
    re.MULTILINE,
)
# The letters that texts in an encoding have, and the commonest of them, by which encodings are told apart.
_OWN = {
    "gb18030": "一-鿿", "big5": "一-鿿", "shift_jis": "ぁ-ヿ一-鿿", "euc-jp": "ぁ-ヿ一-鿿", "euc-kr": "가-힣",
    "windows-1250": "áčďéěíňóřšťúůýžąćęłńśźżőűöüâîăşţ", "windows-1251": "а-яё", "koi8-r": "а-яё",
    "windows-1252": "äöüßéèêëàâçîïôûùœáíóúñãõåæøìò", "windows-1253": "α-ωά-ώϊϋΐΰ", "windows-1254": "ğışçöüâî",
    "windows-1255": "א-ת", "windows-1256": "ء-ي", "windows-1257": "āčēģīķļņšūžąęėįųõäöü",
}  # fmt: skip
_COMMON = {
    "gb18030": "的一是不了在人有我他这个们中来上大为和国到说时要就出会可也你对能那得着自过发后里好谁狼杀投票今天没觉",
    "big5": "的一是不了在人有我他這個們中來上大為和國到說時要就出會可也你對能那得著自過發後裡好誰狼殺投票今天沒覺",
    "shift_jis": "のにはをたがでてとしれさあるいもなうかよすまりこ",
    "euc-jp": "のにはをたがでてとしれさあるいもなうかよすまりこ",
    "euc-kr": "이다는가고에을하지사의나도한기로어리자니그를은시인",
    "windows-1251": "оеаитнсрвл", "koi8-r": "оеаитнсрвл",
    "windows-1253": "αοιετσνηυρ", "windows-1255": "יוהלאמתרבשנכםד", "windows-1256": "اليمنتوره",
    "windows-1250": "áéíěščřžłęąó",
    "windows-1252": "éèàäöüñçóáí’“”", "windows-1254": "ıışğüöç", "windows-1257": "āēīšūėžų",
}  # fmt: skip
# The letters of languages that are written in Windows-1252, and signs of all of them.
_WESTERN = ("äöüß", "éèêëàâçîïôûùœæ", "áéíóúñü", "ãõáâàçéêíóôúü", "åäöæøé", "àèéìòùî")
_SIGNS = frozenset("«»‹›’‘‚“”„–—…€°§¿¡ºª·•£©®™\xa0")
_WIDE = ("gb18030", "big5", "shift_jis", "euc-jp", "euc-kr")
_AMONG_LATIN = re.compile("[A-Za-z][^\0-\x7f]|[^\0-\x7f][a-z]")
_CAPITAL_INSIDE = re.compile("[a-zß-öø-ÿа-яёα-ω][A-ZÀ-ÖØ-ÞА-ЯЁΑ-Ω]")
_PRIVATE_USE = re.compile("[\ue000-\uf8ff]")


class Decoded(Struct, frozen=True):
    """The bytes of a text from `begin` on and how they are decoded; `warnings` maps codes to counts.

    A reader decodes a large text part by part, so the whole is never in memory a second time. Texts come in the Unicode
    form NFC and without the colours of terminals; sentences that these set apart begin with "~ ".
    """

    data: bytes
    encoding: str = UTF_8
    begin: int = 0
    warnings: list[tuple[str, int]] = []

    @property
    def is_plain(self) -> bool:
        """Whether the bytes are the text as it is read, but for a byte order mark."""
        return all(code == "byte_order_mark" for code, _count in self.warnings)

    def part(self, start: int, end: int) -> str:
        """The text between two offsets, as both databases can store it."""
        return self._clean(self.data[start:end].decode(self.encoding))

    def head(self, characters: int) -> str:
        start = self.data[self.begin : self.begin + 4 * characters]
        return self._clean(start.decode(self.encoding, "ignore"))[:characters]

    def _clean(self, text: str) -> str:
        if self.is_plain:
            return text
        text = _FAINT.sub(lambda found: "~ " + found["said"].replace("\n", "\n~ "), text)
        plain = _COLOURS.sub("", text.replace("\0", "\u2400")).replace("\x1b", "")
        return unicodedata.normalize("NFC", plain)

    @property
    def text(self) -> str:
        return self.part(self.begin, len(self.data))


def _without_colours(data: bytes) -> bytes:
    """The bytes without the colours in JSON strings; where these set words apart, such texts stand between tags."""
    if data[:1] not in (b"{", b"[") or b"\\u001" not in data:
        return data
    if any(_TWO_WORDS.search(found["said"]) for found in _ESCAPED_FAINT.finditer(data)):
        data = _ESCAPED_FAINT.sub(rf"{FAINT}\g<said></faint>".encode(), data)
    return _ESCAPED.sub(b"", data)


def recode(data: bytes, encoding: str, *, is_part: bool = False) -> bytes | None:
    """The bytes in UTF-8, texts of a list and logged objects as lines; None in another encoding. A part may be cut."""
    codec = ENCODINGS[encoding] if encoding else "utf-16" if data.startswith(_UTF_16) else UTF_8
    if codec != UTF_8:
        try:
            text = codecs.getincrementaldecoder(codec)().decode(data, final=not is_part)
        except UnicodeError:
            return None
        data = text.removeprefix("\ufeff").encode("utf-8", "surrogatepass")
    data = without_html(as_rows(as_json(data, is_part=is_part)))
    data = blank_between(_without_colours(_with_escapes(data)), is_part=is_part)
    return _join_texts(data) if _LIST_OF_TEXTS.match(data) else as_json_lines(data, is_part=is_part)


def _with_escapes(data: bytes) -> bytes:
    """The bytes with the sign that begins each colour, where it was lost or is written out; JSON stays as it is."""
    head = data[:_JUDGED]
    may_be = _RESET.search(head) and b"\x1b" not in head and not _JSON.match(head)
    return _LOST.sub(b"\x1b[", data) if may_be and len(_LOST.findall(head)) > 2 else data


def _join_texts(data: bytes) -> bytes:
    try:
        return "\n".join(msgspec.json.decode(data, type=list[str])).encode()
    except (msgspec.MsgspecError, ValueError):
        return data


def decode_text(data: bytes) -> Decoded | None:
    """The text of a file; None when the bytes are neither UTF-8 nor plausibly Windows-1252. Never raises."""
    begin = len(BOM) if data.startswith(BOM) else 0
    warnings = [("byte_order_mark", 1)] if begin else []
    for encoding, codes in ((UTF_8, []), ("cp1252", [(WINDOWS, 1)])):
        found = _look_through(data, begin, encoding)
        if found is None or (codes and not _is_western(data)):
            continue
        if not found:
            return None
        counts = [(code, count) for code, count in found.items() if count]
        return Decoded(data, encoding, begin, [*warnings, *codes, *counts])
    return None


def _look_through(data: bytes, begin: int, encoding: str) -> dict[str, int] | None:
    """What is replaced in the text, by warning; None in another encoding, nothing for what no text has."""
    decoder = codecs.getincrementaldecoder(encoding)()
    found = {"replaced_nul": 0, "colours": 0, "normalised": 0}
    is_text = True
    for start in range(begin, len(data), _PIECE):
        try:
            piece = decoder.decode(data[start : start + _PIECE], final=start + _PIECE >= len(data))
        except UnicodeDecodeError:
            return None
        found["replaced_nul"] += piece.count("\0")
        found["colours"] += piece.count("\x1b") + piece.count("\x07")
        if not piece.isascii() and not unicodedata.is_normalized("NFC", piece):
            lines = piece.split("\n")
            found["normalised"] += sum(not unicodedata.is_normalized("NFC", line) for line in lines)
        is_text = is_text and not _NO_TEXT.search(piece)
    return found if is_text else {}


def _is_western(data: bytes) -> bool:
    """Whether what is beyond ASCII stands as in Windows-1252: few, mostly single letters of one language, and signs."""
    text = data.decode("cp1252", "replace")
    letters = "".join(sign for run in _BEYOND.findall(text) for sign in run if sign not in _SIGNS)
    if not letters:
        return True
    runs = re.findall(f"[{re.escape(''.join(sorted(set(letters))))}]+", text)
    one_language = max(sum(letter.lower() in known for letter in letters) for known in _WESTERN)
    known = sum(letter.lower() in _OWN["windows-1252"] for letter in letters)
    return (
        sum(len(run) > 1 for run in runs) <= max(1, len(runs) // 5)
        and 20 * known >= 19 * len(letters)
        and 5 * one_language >= 3 * len(letters)
        and 4 * len(letters) <= len(text)
    )


def propose_encodings(data: bytes) -> list[tuple[str, str]]:
    """The most plausible encodings of bytes that are not UTF-8, at most three, each with a sample of the text."""
    found = sorted(_judged(data[:_JUDGED]), key=lambda judged: -judged[0])
    return [(name, sample) for _weight, name, sample in found[:MOST_PROPOSED]]


def _judged(head: bytes) -> Iterator[tuple[float, str, str]]:
    """How plausible each encoding is, with a sample."""
    is_wide = b"\0" in head
    for name, codec in ENCODINGS.items():
        if name in (UTF_8, "utf-16") or is_wide != name.startswith("utf-16"):
            continue
        # The last character may be cut off.
        text = codecs.getincrementaldecoder(codec)("replace").decode(head)
        if "\ufffd" in text or _NO_TEXT.search(text) or "\0" in text:
            continue
        beyond = "".join(_BEYOND.findall(text)).lower()
        first = _BEYOND.search(text)
        start = first.start() if first else 0
        at = max(0, text.rfind("\n", 0, start) + 1, start - _SHOWN // 4)
        weight = 1 - len(beyond) / (len(text) or 1) if is_wide else _weight(name, text, beyond)
        yield weight, name, " ".join(text[at : at + _SHOWN].split())


def _weight(name: str, text: str, beyond: str) -> float:
    """How much of what is beyond ASCII are letters of its languages, and common ones, less what no text has."""
    own = re.findall(f"[{_OWN[name]}]", beyond)
    common = sum(character in _COMMON[name] for character in own)
    odd = len(_PRIVATE_USE.findall(text)) + len(_CAPITAL_INSIDE.findall(text))
    odd += len(_AMONG_LATIN.findall(text)) if name in _WIDE else 0
    return (len(own) + common - odd) / (len(beyond) or 1)


def describe_proposals(data: bytes) -> str:
    """What bytes that are not UTF-8 may be; "" when nothing is plausible."""
    proposals = propose_encodings(data)
    if not proposals:
        return ""
    shown = "; ".join(f"{name} (“{sample}”)" for name, sample in proposals)
    return say(" Or name its encoding, by “Encoding” or --encoding. It may be {shown}.", shown=shown)
