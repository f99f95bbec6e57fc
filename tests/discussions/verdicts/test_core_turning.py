"""Whether a verdict would be the other one if one metric were on the other side of its threshold."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from discussions.core.judgement_kinds import MESSAGE_KINDS, VALUES
from discussions.core.outcome import MEMORY
from discussions.queries import load_measurements, rubric_record
from discussions.verdicts.core.scoring import compute_metric_lines, draw_samples
from discussions.verdicts.core.turning import find_turning_answer, would_turn
from tests.factories.adjudication import submitted_game
from tests.factories.verdicts import preview


def outcome(passed, *, cost=False, mandatory=True):
    """Seven metrics of which the first so many pass and five must; the last, which must pass, is `mandatory`."""
    lines = [
        SimpleNamespace(key=str(number), passes=number < passed, is_mandatory=False) for number in range(6)
    ]
    lines.append(SimpleNamespace(key="rated", passes=mandatory, is_mandatory=True))
    return SimpleNamespace(lines=lines, cost_state="above" if cost else "low", needed_count=5)


@pytest.mark.parametrize(
    ("found", "key", "turns"),
    [
        (outcome(4), "0", True),
        (outcome(5), "0", False),
        (outcome(3), "5", True),
        (outcome(2), "5", False),
        (outcome(6), "rated", True),
        (outcome(4, mandatory=False), "5", False),
        (outcome(6, mandatory=False), "rated", True),
        (outcome(4, cost=True), "0", False),
        (outcome(3, cost=True), "5", False),
    ],
)
def test_a_metric_takes_the_verdict_with_it(found, key, turns):
    assert would_turn(found, key) is turns


def test_every_metric_that_must_pass_is_needed():
    found = outcome(6, mandatory=False)
    found.lines[0].is_mandatory = True
    assert [would_turn(found, key) for key in ("0", "1", "rated")] == [False, False, True]
    found.lines[1].is_mandatory, found.lines[1].passes = True, False
    assert not would_turn(found, "rated")


@pytest.mark.django_db
def test_the_answer_that_alone_turns_a_metric_is_one_and_the_most_doubtful_comes_first():
    game = submitted_game(1, differing={("coherence", str(number)): ("no",) for number in (4, 6)})
    found = preview(game)
    basis = found.basis
    measurements = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    rubric = rubric_record(basis.rubric_version.id, basis.rubric_version.sha256)
    samples = draw_samples(basis, measurements, rubric)
    turned = 0
    for line in found.outcome.lines:
        answer = find_turning_answer(line, found.found, measurements, rubric, samples)
        if line.flip != 1 or line.key not in (MEMORY, *MESSAGE_KINDS):
            assert answer is None, line.key
            continue
        kind, subject = answer
        others = [value for value in VALUES[kind] if value != found.found.values.get(kind, {}).get(subject)]
        now = [
            passes_with_answer(line, found, measurements, rubric, samples, kind, subject, one)
            for one in others
        ]
        assert (not line.passes) in now
        turned += 1
    assert turned


def passes_with_answer(line, found, measurements, rubric, samples, kind, subject, value):
    values = {**found.found.values, kind: {**found.found.values.get(kind, {}), subject: value}}
    changed = replace(found.found, values=values)
    return compute_metric_lines([line.key], changed, measurements, rubric, samples)[0].passes
