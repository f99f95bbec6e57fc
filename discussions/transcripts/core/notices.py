"""Texts that a chat program writes in place of a message: who joined, media that are left out."""

import re

# What is left out, and the words for it, in English, German, Spanish, French, Portuguese and Italian.
_MEDIA = (
    r"<?(?:(?:image|photo|video|audio|voice|sticker|gif|document|file|media|contact|location|bild|foto|sprachnachricht"
    r"|datei|dokument|medien|imagen|v[ií]deo|documento|archivo|multimedia|ubicaci[oó]n|vid[ée]o|m[ée]dias?|fichier|imagem"
    r"|[áa]udio|figurinha|arquivo|m[ií]dia|immagine|posizione)(?: message| note| card)? {0,2}(?:omitted|not included"
    r"|unavailable|weggelassen|ausgeschlossen|nicht enthalten|omitid[oa]s?|no incluid[oa]s?|omis(?:es?)?|absente?s?"
    r"|ocult(?:ad)?[oa]s?|omess[oaie]))>?"
)
# As LINE, KakaoTalk and WeChat write it.
_BOXED_MEDIA = (
    r"\[(?:stickers?|photos?|videos?|audio|voice messages?|gif|files?|images?|albums?|contact|location|スタンプ|写真"
    r"|動画|アルバム|ファイル|ボイスメッセージ|이모티콘|사진|동영상|贴图|貼圖|照片|图片|圖片|表情|动画表情|视频|影片)\]"
)
_DELETED = (
    r"this message was (?:deleted|unsent|removed)(?: by .{1,60})?|you deleted this message|message deleted",
    r"diese nachricht wurde gel[öo]scht|du hast diese nachricht gel[öo]scht",
    r"(?:se elimin[óo] este mensaje|este mensaje (?:fue|ha sido) eliminado|eliminaste este mensaje)",
    r"(?:ce message a [ée]t[ée] supprim[ée]|vous avez supprim[ée] ce message)",
    r"(?:(?:essa |esta )?mensagem (?:foi )?apagada|voc[êe] apagou (?:essa|esta) mensagem)",
    r"(?:questo messaggio [èe] stato eliminato|hai eliminato questo messaggio)",
    r"此消息已(?:被)?(?:删除|撤回)|该消息已撤回|.{1,30}撤回了一条消息|このメッセージは削除されました",
)
_SECURE = (
    r"messages\b.{0,40} are (?:now )?(?:secured with )?end[- ]to[- ]end encrypt(?:ed|ion)\b.*",
    r"nachrichten und anrufe sind ende[- ]zu[- ]ende[- ]verschl[üu]sselt\b.*",
    r"los mensajes y las llamadas est[áa]n cifrados de extremo a extremo\b.*",
    r"les messages et les appels sont chiffr[ée]s de bout en bout\b.*",
    r"as mensagens e (?:as )?(?:liga[çc][õo]es|chamadas)\b[^.]{0,60} de ponta a ponta\b.*",
    r"i messaggi e le chiamate sono crittografati end-to-end\b.*",
    r"(?:missed|no answer|declined|started an?) ?(?:group )?(?:voice|video)? ?calls?(?: at .{1,20})?",
    r"waiting for this message\b.*|this message can['’]t be displayed\b.*|your security code with .{1,60} changed\b.*",
    r".{1,80}\.\w{2,4} \((?:file attached|datei angehängt|archivo adjunto|fichier joint|arquivo anexado|allegato)\)",
    r"<(?:attached|anhang|adjunto|pièce jointe|anexado|allegato): .{1,200}>",
)
# Of texts in small letters: to look for these in any case takes three times as long.
_NOTICE = re.compile("|".join((_MEDIA, _BOXED_MEDIA, *_DELETED, *_SECURE)))
_EDITED = re.compile(
    r"\s?<(?:this message was edited|diese nachricht wurde bearbeitet|se editó este mensaje|ce message a été modifié"
    r"|mensagem editada|questo messaggio è stato modificato)>\Z",
    re.IGNORECASE,
)
# What follows the name of who came or went.
_CAME = re.compile(
    r"(?:(?:has |have |was |were )?(?:joined|left|added|removed|quit|parted|kicked|disconnected|reconnected)"
    r"|created (?:this |the )?group|changed (?:the|this|their) (?:group|subject|name|topic|phone)"
    r"|pinned a message|is now known as|turned (?:on|off) disappearing"
    r"|ist (?:beigetreten|gegangen)|hat die gruppe|se (?:unió|fue|ha unido)|a (?:rejoint|quitté)|entrou|saiu)"
    r"(?: (?:using|via|the|this|to|from|a|#|verlassen|erstellt|al|le|la|no|na|do|de|sur|by|\().{0,80})?[.!]?",
    re.IGNORECASE,
)
# Signs by which programs begin such a line: "*** Ann joined", "-!- Ann has quit".
_SIGN = re.compile(
    r"(?:\*{1,3}|-!-|-{2,3}>|<-{2,3}|={2,3}|[→←►◄]) ?(?P<who>[^:\n]{1,40}?) (?P<did>[^:\n]{4,100})"
)
_PLACED = re.compile(
    r"(?P<who>[^:,.\n]{1,40}?) (?P<did>(?:has )?(?:joined|left) (?:the |this )?(?:game|chat|channel|group|room|server"
    r"|call|meeting|conversation|lobby|#\S{1,40}))[.!]?"
)
# In exports of iPhones such a mark begins what the program says, under the name of the group.
_TOLD = re.compile(r".{1,60}? (?:joined|left|added|removed|created|changed|pinned|turned)\b", re.IGNORECASE)
_MARK = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONGEST_LINE = 400


# Longer lines are no notices, unless they begin so.
_SHORT, _BEGINS = (
    90,
    ("Messages", "Nachrichten", "Los mens", "Les mess", "As mens", "I messag", "Waiting", "\u200e", "<"),
)


def is_notice(line: str) -> bool:
    """Whether a line without a speaker says who came or went."""
    found = _SIGN.fullmatch(line.strip(" *=")) or _SIGN.fullmatch(line.strip())
    return bool((found and _CAME.fullmatch(found["did"])) or _PLACED.fullmatch(line.strip()))


def split_notice(text: str, author: str = "") -> tuple[str, str]:
    """What a message says, also below the notice of a picture, and what a program wrote into it; each may be ""."""
    if len(text) >= _SHORT and not text.startswith(_BEGINS) and text[-1] != ">" and "\n" not in text[:_SHORT]:
        return text, ""
    first, _line, rest = text.partition("\n")
    plain = (first if first.isascii() else _MARK.sub("", first)).strip()
    if len(plain) > _LONGEST_LINE:
        return text, ""
    size = len(author)
    is_told = author and plain[size : size + 1] == " " and plain[:size].casefold() == author.casefold()
    told = plain[size:].strip() if is_told else ""
    is_marked = first[:1] == "\u200e" and _TOLD.match(plain)
    if _NOTICE.fullmatch(plain.rstrip(".! ").lower()) or (told and _CAME.fullmatch(told)) or is_marked:
        return rest.strip(), plain
    edited = _EDITED.search(_MARK.sub("", text[-60:])) if text.endswith(">") else None
    return (text[: -len(edited[0].lstrip())].rstrip(" \n\u200e"), edited[0].strip()) if edited else (text, "")
