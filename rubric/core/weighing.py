"""The two controls of a weight in the editor, a number field and a slider, kept in step by the server.

Besides both, a browser sends what the number was when they were last in step. So whichever was moved since then
counts, in whatever way the form is sent, and a slider that nobody can see or move changes nothing.
"""

from fractions import Fraction

from rubric.core.reading_drafts import MOST_CRITERIA, Texts, is_number
from rubric.core.weights import decimal_text, exact

STEPS = 100


def slide_text(number: str) -> str:
    """Where the slider stands for a number: at the nearest hundredth from 0 to 1, at 0 for what is none."""
    if not is_number(number):
        return "0"
    return decimal_text(Fraction(min(max(round(exact(number.strip()) * STEPS), 0), STEPS), STEPS))


def in_step(texts: Texts, *, in_hand: str = "") -> dict[str, str]:
    """The fields of every weight (`c0-weight`, `c0-slide`, `c0-was`) with the control that was moved taken over.

    Where both were moved the number counts, unless the slider is the field `in_hand`. Never raises.
    """
    moved: dict[str, str] = {}
    for place in range(MOST_CRITERIA):
        weight, slide, was = (f"c{place}-{name}" for name in ("weight", "slide", "was"))
        if weight in texts:
            number = texts[weight]
            if _is_slid(texts, slide, was) and (number == texts[was] or in_hand == slide):
                number = slide_text(texts[slide])
            moved |= {weight: number, slide: slide_text(number), was: number}
    return moved


def _is_slid(texts: Texts, slide: str, was: str) -> bool:
    """Whether the slider stands elsewhere than where the page put it."""
    return (
        slide in texts
        and was in texts
        and is_number(texts[slide])
        and slide_text(texts[slide]) != slide_text(texts[was])
    )
