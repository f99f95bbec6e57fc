"""Words looked up: first uses, bits and players; what was met before changes nothing."""

from concurrent.futures import ThreadPoolExecutor

from discussions.core.metrics.plain import plain_findings
from discussions.core.metrics.vocabulary import Vocabulary, Words
from discussions.core.tokens import name_token

TEXT = ["we", "vote", "we", name_token(3), "vote", "now", name_token(3)]


def plain(words: Words) -> list[list[int]]:
    return [words.ids.tolist(), words.flags.tolist(), words.players.tolist()]


def test_a_word_is_known_by_its_first_use() -> None:
    looked_up = Vocabulary().look_up(TEXT, len)
    assert plain(looked_up) == [[0, 1, 0, 3, 1, 5, 3], [2, 4, 2, 1, 4, 3, 1], [0, 0, 0, 3, 0, 0, 3]]
    assert plain(Vocabulary().look_up([], len)) == [[], [], []]


def test_what_was_met_before_changes_nothing() -> None:
    vocabulary = Vocabulary()
    vocabulary.look_up(["now", "then", name_token(2)], len)
    assert plain(vocabulary.look_up(TEXT, len)) == plain(Vocabulary().look_up(TEXT, len))
    vocabulary.look_up([f"word{number}" for number in range(30_000)], len)
    assert plain(vocabulary.look_up(TEXT, len)) == plain(Vocabulary().look_up(TEXT, len))


def test_threads_share_a_vocabulary() -> None:
    vocabulary = Vocabulary()
    texts = [[f"w{(start * 7 + step) % 5000}" for step in range(3000)] for start in range(40)]
    alone = [plain(Vocabulary().look_up(text, len)) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: plain(vocabulary.look_up(text, len)), texts))
    assert together == alone


def test_plain_findings_are_new_lists_of_shared_findings() -> None:
    short, long = plain_findings(2, "quiet", counts=True), plain_findings(4, "quiet", counts=True)
    assert [finding.message for finding in long] == [1, 2, 3, 4]
    assert all(finding.counts and finding.rule == "quiet" and not finding.words for finding in long)
    long.clear()
    assert plain_findings(2, "quiet", counts=True) == short
