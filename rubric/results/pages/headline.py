"""Who leads a set, in words: the first against each other subject, and only if the interval excludes 0."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from rubric.results.core.paired_leads import PairedLead, compute_paired_leads
from rubric.results.core.ranking_uncertainty import LEAST_PANEL
from rubric.results.core.whole_set import Item, Scored, Subject
from rubric.results.pages.words import difference_text, gap_text, join_names, ranked_alone_text, two

MOST_NAMED = 2


class Headline(Struct, frozen=True):
    """The answer, what stands against it ("" where nothing does), and the first against each other subject, by name.

    `found` holds (lead, gap with its interval, words).
    """

    answer: str
    says: str
    found: dict[str, tuple[PairedLead, str, str]]

    @property
    def is_certain(self) -> bool:
        """Whether the first is ahead of every other."""
        return bool(self.found) and not self.says

    @property
    def needs_reviewers(self) -> bool:
        return any(
            lead.gap is not None and lead.reviewers < LEAST_PANEL for lead, _gap, _word in self.found.values()
        )


def build_headline(
    subjects: Sequence[Subject],
    scored: Sequence[Scored],
    names: Mapping[Item, str],
    rounding: float = 0.0,
) -> Headline:
    """The headline of a set whose subjects are in the order of their means."""
    ranked = [subject for subject in subjects if subject.mean is not None]
    if not ranked:
        says = ranked_alone_text((row.name, row.mean_rank) for row in subjects)
        return Headline(_("Nobody can tell who answers best"), says, {})
    first = ranked[0].name
    found = compute_paired_leads(scored, names, first, [subject.name for subject in ranked[1:]], rounding)
    rows = {
        lead.rival: (lead, difference_text(lead.gap, lead.interval), _word(first, lead)) for lead in found
    }
    answer, says = _headline(ranked, found)
    return Headline(answer, says, rows)


def _headline(ranked: Sequence[Subject], found: Sequence[PairedLead]) -> tuple[str, str]:
    """Who answers best and by how much; or that nobody can tell, and why."""
    name, mean = ranked[0].name, two(ranked[0].mean)
    if len(ranked) == 1:
        said = _("%(names)s has a mean of %(mean)s") % {"names": name, "mean": mean}
        return said, _("Nobody else was scored.")
    level = [subject.name for subject in ranked if subject.place == 1]
    if len(level) > 1:
        said = _("%(names)s share the first rank with a mean of %(mean)s: a tie")
        return said % {"names": join_names(level), "mean": mean}, _("Equal means tell nobody apart.")
    untold = [lead for lead in found if lead.word != "ahead"]
    if not untold:
        said = _("%(name)s answers best, by %(gap)s points")
        return said % {"name": name, "gap": gap_text(found[0].gap)}, ""
    sentences = [_untold(name, lead) for lead in untold[:MOST_NAMED]]
    more = len(untold) - MOST_NAMED
    if more > 0:
        said = ngettext(
            "Nor does %(name)s lead %(n)d other: see below.",
            "Nor does %(name)s lead %(n)d others: see below.",
            more,
        )
        sentences.append(said % {"name": name, "n": more})
    return _("Nobody can tell who answers best"), " ".join(sentences)


def _untold(name: str, lead: PairedLead) -> str:
    """The sentence about a rival that the first does not lead."""
    given = {
        "name": name, "rival": lead.rival, "gap": difference_text(lead.gap, lead.interval), "n": lead.comparisons,
    }  # fmt: skip
    if lead.word == "apart":
        says = _("%(name)s and %(rival)s have no question in common, so they are not compared.")
    elif lead.word == "behind":
        says = ngettext(
            "%(name)s has the highest mean, but %(rival)s leads it on their %(n)d common question: %(gap)s.",
            "%(name)s has the highest mean, but %(rival)s leads it on their %(n)d common questions: %(gap)s.",
            lead.comparisons,
        )
    elif lead.interval is None:
        says = _(
            "%(name)s and %(rival)s cannot be told apart by one common question; they differ by %(gap)s there."
        )
    elif lead.reviewers < LEAST_PANEL:
        given["n"] = lead.reviewers
        says = ngettext(
            "%(name)s and %(rival)s cannot be told apart with %(n)d reviewer: %(gap)s.",
            "%(name)s and %(rival)s cannot be told apart with %(n)d reviewers: %(gap)s.",
            lead.reviewers,
        )
    elif not lead.interval[0] <= 0 <= lead.interval[1]:
        says = _("%(name)s and %(rival)s cannot be told apart among so many: %(gap)s for the two alone.")
    else:
        says = _("%(name)s and %(rival)s cannot be told apart: %(gap)s.")
    return says % given


def _word(first: str, lead: PairedLead) -> str:
    leader = {"ahead": first, "behind": lead.rival}.get(lead.word)
    if leader:
        return _("%(name)s leads") % {"name": leader}
    return _("no common question") if lead.word == "apart" else _("cannot be told apart")
