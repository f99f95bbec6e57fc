"""Blind answers read from a project's rows: a printed table, what takes part, what never does, and how many queries."""

import pytest

from discussions.core import kinds
from discussions.core.agreement_figures import AgreementFigures
from discussions.models import Evaluation, Game, Judgement, Slot
from discussions.models.agreed import agreement_figures, rating_agreement
from tests.agreeing import add_game, make_agreeing_project, people_of, write_labels
from tests.core.agreement_tables import of_table
from tests.factories import NOW
from tests.rated import say
from tests.team import evaluations_of, make_shared_game, submit_as, submitted_game
from tests.team_figures import figure_team, team_figures

pytestmark = pytest.mark.django_db


def test_a_printed_table_comes_out_of_a_projects_rows():
    """Gwet's table of two raters and three categories as labels of 100 messages: alpha .797, AC1 .849, kappa .796."""
    game = submitted_game(2, message_count=100)
    values = kinds.VALUES[kinds.ROLE_CONSISTENCY]
    table = [
        [values[int(cell) - 1] for cell in row] for row in of_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    ]
    write_labels(game, kinds.ROLE_CONSISTENCY, table)
    figure_team(game.project)
    line = team_figures(game.project, "agreement", AgreementFigures).agreement.find("role_consistency")
    assert (line.items, line.games, line.pairs) == (100, 1, 100)
    assert [round(each.value, 3) for each in (line.alpha, line.companion)] == [0.797, 0.849]
    assert round(line.people[0].kappa, 3) == 0.796


def test_what_was_said_by_several_is_compared():
    project = make_agreeing_project()
    found = agreement_figures(project)
    assert (found.games, found.handed_in, len(found.questions)) == (3, 6, 5)
    rating = found.agreement.find("rating")
    assert (rating.items, rating.pairs, rating.games) == (3, 3, 3)
    assert {(cell.row, cell.column): cell.count for cell in rating.cells} == {
        ("3.0", "3.0"): 1,
        ("3.5", "4.0"): 1,
        ("4.5", "5.0"): 1,
    }
    assert dict(found.agreement.find("question-1").shares) == {"yes": 3, "no": 3}
    assert found.own == []


def test_silence_later_answers_single_games_and_other_purposes_change_nothing():
    project = make_agreeing_project()
    before = agreement_figures(project)
    game = Game.objects.filter(project=project).first()
    evaluation = evaluations_of(game)[0]
    # What was said after the reveal: the value moves, the blind one stays; and a new one that was never blind.
    Judgement.objects.filter(evaluation=evaluation, kind="reference").update(value="not_a_reference")
    judged = evaluation.judgements.filter(kind="coherence").values_list("subject", flat=True)
    free = next(str(message) for message in range(1, 13) if str(message) not in judged)
    Judgement.objects.create(
        evaluation=evaluation, kind="coherence", subject=free, value="no", blind_value="", version=1
    )
    open_game = make_shared_game(k=2, project=project)
    submit_as(evaluations_of(open_game)[0])
    assert agreement_figures(project) == before
    other = evaluations_of(open_game)[1]
    say(other, "rating", "", "1.0")
    assert agreement_figures(project) == before
    submit_as(other)
    assert agreement_figures(project).games == before.games + 1
    Game.objects.filter(pk=open_game.pk).update(
        withdrawn_at=NOW, withdrawn_by=other.evaluator, withdrawn_reason="A test game."
    )
    assert agreement_figures(project) == before


def test_games_shown_alongside_have_no_blind_answers():
    project = make_agreeing_project(reveal="alongside", games=1)
    found = agreement_figures(project)
    assert (found.games, found.handed_in, found.agreement.evaluations) == (1, 2, 0)
    assert found.agreement.find("rating").alpha.reason.startswith("Nobody has answered this blind")
    assert rating_agreement(project)[0].value is None


def repeat_of(evaluation: Evaluation) -> Evaluation:
    """The same game, answered by the same person again as before, but for the rating."""
    slot = Slot.objects.create(
        project=evaluation.game.project, game=evaluation.game, purpose="repeat", number=9, shuffle=1
    )
    again = Evaluation.objects.create(
        game=evaluation.game,
        slot=slot,
        evaluator=evaluation.evaluator,
        purpose="repeat",
        measured=evaluation.measured,
        state="submitted",
        seed="again",
        created_at=NOW,
        submitted_at=NOW,
        shown_number=900,
    )
    for row in evaluation.judgements.all():
        value = "1.0" if row.kind == "rating" else row.blind_value
        Judgement.objects.create(
            evaluation=again, kind=row.kind, subject=row.subject, value=value, blind_value=value, version=1
        )
    return again


def test_repeats_compare_people_with_themselves_and_with_nobody_else():
    project = make_agreeing_project(games=2)
    before = agreement_figures(project)
    figure_team(project)
    person = people_of(project)[0]
    first = list(Evaluation.objects.with_work().filter(evaluator=person))
    again = [repeat_of(evaluation) for evaluation in first]
    after = agreement_figures(project)
    assert after.agreement == before.agreement
    own = {line.key: line for line in after.own}
    assert own["question-1"].share.value == 1.0
    assert (own["rating"].share.value, own["rating"].items) == (0.0, 2)
    assert [each.evaluator for each in own["rating"].people] == [person.pk]
    # A repeat makes the stored figures old; one that is still open does not take part.
    figure_team(project)
    assert team_figures(project, "agreement", AgreementFigures).own == after.own
    Evaluation.objects.filter(pk__in=[each.pk for each in again]).update(state="draft", submitted_at=None)
    assert agreement_figures(project) == before


def test_two_people_are_one_pair_over_all_their_games():
    project = make_agreeing_project()
    (pair,) = agreement_figures(project).agreement.find("rating").people
    assert ([pair.first, pair.second], pair.items) == ([each.pk for each in people_of(project)], 3)


def test_queries_do_not_grow_with_games(django_assert_num_queries):
    project = make_agreeing_project(games=1)
    agreement_figures(project)
    for _more in range(2):
        with django_assert_num_queries(4):
            agreement_figures(project)
        with django_assert_num_queries(1):
            rating_agreement(project)
        add_game(project, people_of(project), {("rating", ""): ("4.0", "3.0")})
