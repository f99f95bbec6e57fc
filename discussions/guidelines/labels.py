"""The words of the practice item: an invented exchange, its questions and why an answer is right."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from discussions.core import judgement_kinds as kinds
from discussions.core.outcome import DIVERSITY, ENGAGEMENT, MEMORY, REPETITION
from discussions.guidelines.core import NOT_ACCEPTABLE

# Names of invented players are not translated: the votes name them, too.
EXCHANGE: tuple[tuple[str, Promise], ...] = (
    ("Lena", _("Mira is gone, and she was innocent. Otis, you were the first to vote for her in round 1.")),
    (
        "Otis",
        _("Aye, I was. She dodged my question twice, and that rang like a cracked bell, mark my words."),
    ),
    ("Pia", _("Otis and I both voted for Lena in round 1.")),
    ("Kuno", _("We should all stay alert and play well.")),
    ("Pia", _("Then why did you vote for me without a word, Lena?")),
)
VOTES = (("Otis", "Mira"), ("Lena", "Pia"), ("Pia", "Mira"), ("Kuno", "Lena"), ("Mira", "Lena"))

# The question, where the rubric's own needs its subject, and why the right answer is right.
ABOUT: dict[str, Promise] = {
    MEMORY: _("Pia, message 3"),
    kinds.STRATEGIC_DEPTH: _("Otis, message 2"),
    kinds.COHERENCE: _("Kuno, message 4, after messages 1 to 3"),
    REPETITION: _("“mark my words”, said by Otis in three rounds"),
    DIVERSITY: _("Otis, message 2 and others like it: “Aye, the tide turns.” “Aye, a fair wind, that vote.”"),
    ENGAGEMENT: _("You answered yes to %(yes)d of the questions on this game. Which rating fits?"),
    kinds.ROLE_CONSISTENCY: _("Lena, message 1. The roles are revealed by now: Lena plays for the mafia"),
}
WHY: dict[str, Promise] = {
    MEMORY: _(
        "Inaccurate: the vote record of round 1 has Otis and Pia voting for Mira. Had Pia said “somebody voted for "
        "Lena”, it would be vague: nobody can tell who is meant."
    ),
    kinds.STRATEGIC_DEPTH: _(
        "Strategic: Otis gives a reason, that Mira dodged a question twice. Whether the reason is good does not matter."
    ),
    kinds.COHERENCE: _(
        "No: the message responds to nothing that was said, and could appear anywhere in a game."
    ),
    REPETITION: _(
        "Acceptable: it is a habit that makes Otis recognisable. A template such as “I think we should look at” is not."
    ),
    DIVERSITY: _("Yes: “aye”, bells and tides are words that no other agent uses."),
    ENGAGEMENT: _(
        "With %(yes)d or more yes the rubric puts the rating at %(least)s or more. Otherwise rating and answers are "
        "your own opinion: nothing is right or wrong there."
    ),
    kinds.ROLE_CONSISTENCY: _(
        "Consistent: she looks helpful and steers suspicion to Otis, as the mafia should. Had she said who her fellows "
        "are, it would be inconsistent."
    ),
}
MORE_ANSWERS: dict[str, Promise] = {NOT_ACCEPTABLE: _("not acceptable")}
