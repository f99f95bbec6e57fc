"""What a reliability means for the next time: how many raters would do, and how firmly one may speak of it."""

import math
from typing import Literal

from rubric.core.agreement.estimates import Agreement

RELIABLE = 0.8
FIRM, TENTATIVE = 0.8, 0.667
WIDEST_FOR_WORDS = 0.3
MOST_RATERS = 1000
Strength = Literal["firm", "tentative", "low", ""]


def raters_needed(one_rater: float | None, *, reliability: float = RELIABLE) -> int | None:
    """How many raters an item needs so that their mean has that reliability; None where 1,000 would not do.

    Spearman-Brown turned round: R (1 - r) / (r (1 - R)) with r the reliability of one rater, such as ICC(2,1).
    Sources: C. Spearman, British Journal of Psychology 3 (1910), 271-295; W. Brown, ibid., 296-322.
    """
    if one_rater is None or one_rater <= 0:
        return None
    needed = reliability * (1 - one_rater) / (one_rater * (1 - reliability))
    return max(1, math.ceil(round(needed, 9))) if needed <= MOST_RATERS else None


def strength_of(found: Agreement) -> Strength:
    """The one word for an alpha: firm from .800, tentative from .667, else low; "" where its interval is too wide.

    An interval of no width, as perfect agreement on a few items has, says nothing of how sure alpha is: "" as well.
    Source: K. Krippendorff, Content Analysis, 3rd edition (2013), chapter 12.
    """
    if found.value is None or found.interval is None:
        return ""
    if not 0 < found.interval[1] - found.interval[0] <= WIDEST_FOR_WORDS:
        return ""
    return "firm" if found.value >= FIRM else "tentative" if found.value >= TENTATIVE else "low"
