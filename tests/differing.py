"""Games on which evaluators differ, with everything a lead looks at: reasons, flags, changed minds, hostile words."""

from collections.abc import Iterable

from discussions.actions.remarking import remark
from discussions.models import Evaluation, Game
from discussions.models.adjudicated import disagreements_in
from discussions.models.standings import work_of
from tests.factories import NOW, make_member
from tests.rated import make_rating_project
from tests.settled import fresh
from tests.team import evaluations_of, make_shared_game, submit_as
from workspace.models import Person, Project

TIE = ("coherence", "5")
OTHER_TIE = ("strategic_depth", "4")
HOSTILE = "I am not sure what this <b>answers</b>."


def make_differing(
    *, leads: Iterable[Person] = (), project: Project | None = None, slug: str = "", message_count: int = 12
) -> Game:
    """A game that two evaluators handed in; they differ on a reference, two messages, a phrase and a question."""
    project = project or make_rating_project(evaluator_count=2, slug=slug)
    for person in leads:
        make_member(project=project, person=person, role="lead")
    game = make_shared_game(k=2, project=project, message_count=message_count)
    one, two = evaluations_of(game)
    reference, phrase = first_reference(one), min(work_of(one).ground.phrases)
    for place, text in ((one, HOSTILE), (two, "Too vague to be a reply.")):
        remark(
            evaluation=place,
            kind="flag" if place is one else "comment",
            target="message:5",
            text=text,
            key=f"remark-{place.pk}",
            by=place.evaluator,
            now=NOW,
        )
    ours = {TIE: "yes", OTHER_TIE: "no", reference: "accurate", ("phrase", phrase): "acceptable"}
    submit_as(one, values=ours | {("question", "1"): "yes"})
    submit_as(two, values={TIE: "no", OTHER_TIE: "yes", reference: "vague", ("question", "1"): "no"})
    return fresh(game)


def first_reference(evaluation: Evaluation) -> tuple[str, str]:
    """The first thing in the game that the machine counts as a reference."""
    return min(key for key in work_of(evaluation).machine if key[0] == "reference")


def page_hash(game: Game, kind: str, subject: str) -> str:
    """What the settle page's form of that thing carries now."""
    return next(one.page_sha256 for one in disagreements_in(fresh(game)) if one.key == (kind, subject))
