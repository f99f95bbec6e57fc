"""The judged subjects and their answers in words, for reports, which show no keys."""

from django.utils.translation import gettext as _
from msgspec.structs import replace

from discussions.adjudication.pages import answer_word, get_kind_label
from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from discussions.models import Game
from discussions.queries import game_record
from discussions.verdicts.core.report import Override


class SubjectWords:
    """Describes subjects of one game; reads its text only to name a player."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._names: list[str] | None = None

    def say_override(self, override: Override) -> Override:
        kind = override.kind
        return replace(
            override,
            what=self.describe(kind, override.subject),
            says=answer_word(kind, override.value),
            machine_says=answer_word(kind, override.machine) if override.machine else "",
            before_says=answer_word(kind, override.before) if override.before else "",
        )

    def describe(self, kind: str, subject: str) -> str:
        label = get_kind_label(kind)
        if kind in judgement_kinds.PLACED_KINDS:
            return f"{label}, {_describe_position(subject)}"
        if kind == judgement_kinds.PHRASE:
            player, _bar, phrase = subject.partition("|")
            name = self._name(int(player)) if int(player) else _("all agents")
            return _("%(label)s “%(phrase)s” of %(name)s") % {"label": label, "phrase": phrase, "name": name}
        if kind == judgement_kinds.IDENTIFY:
            return f"{label}: {self._name(int(subject))}"
        return f"{label} {subject}".rstrip()

    def answer(self, kind: str, value: str) -> str:
        if kind == judgement_kinds.ATTRIBUTION and value.isdigit():
            return self._name(int(value))
        return answer_word(kind, value)

    def _name(self, number: int) -> str:
        if self._names is None:
            record = game_record(self.game.pk, self.game.content_sha256)
            self._names = [player.name for player in record.players]
        return self._names[number - 1]


def describe_target(target: str) -> str:
    """The target of a comment in words: "message 19" of "message:19", "the game" of "game"."""
    _kind, _colon, subject = target.partition(":")
    return _describe_position(subject) if subject else _("the game")


def _describe_position(subject: str) -> str:
    message, sentence = parse_subject(subject)
    if not sentence:
        return _("message %(message)d") % {"message": message}
    return _("message %(message)d, sentence %(sentence)d") % {"message": message, "sentence": sentence}
