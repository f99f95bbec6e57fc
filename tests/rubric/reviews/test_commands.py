"""`score_reviews`: the exact shape of its lines, its exit codes, and no database."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from rubric.versions.queries import first_version_bytes
from tests.factories.reviews import CRITERIA, EXAMPLE, LABELS, fenced
from tests.factories.versions import three_scales
from workspace.core.canonical import canonical_bytes

KEYS = ["reviewer", "mode", "responses", "ranking", "reported_ranking", "flags"]
RESPONSE_KEYS = ["scores", "overall", "holistic", "reported_overall", "incomplete", "notes"]


def line(**details: Any) -> dict[str, Any]:
    """One review of the source's example."""
    return {"reviewer": "model-1", "responses": LABELS, "text": fenced(EXAMPLE)} | details


def jsonl(*rows: Any) -> bytes:
    """The rows as a file."""
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, *options: str
) -> tuple[int, list[dict[str, Any]] | str, str]:
    """(exit code, stdout, read as lines of JSON where it is that, stderr) of scoring a file of these bytes."""
    file = tmp_path / "reviews.jsonl"
    file.write_bytes(data)
    code = 0
    try:
        call_command("score_reviews", str(file), *options)
    except SystemExit as end:
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    return code, [json.loads(row) for row in out.splitlines()] if "--json" in options else out, err


def test_a_line_has_exactly_its_keys(tmp_path, capsys):
    code, (answer,), err = run(tmp_path, capsys, jsonl(line()), "--json")
    assert (code, err) == (0, "")
    assert list(answer) == KEYS
    assert list(answer["responses"]) == LABELS
    for response in answer["responses"].values():
        assert list(response) == RESPONSE_KEYS
    assert answer["responses"]["Response A"] == {
        "scores": {"accuracy": 9, "completeness": 8, "conciseness": 7, "clarity": 8},
        "overall": 8.15, "holistic": None, "reported_overall": 8.15, "incomplete": False, "notes": "a",
    }  # fmt: skip
    assert [response["overall"] for response in answer["responses"].values()] == [8.15, 8.1, 6.0]
    assert (answer["reviewer"], answer["mode"]) == ("model-1", "rubric")
    assert answer["ranking"] == answer["reported_ranking"] == [["Response A"], ["Response B"], ["Response C"]]
    assert answer["flags"] == [{"code": "overall_mismatch", "response": "Response B"}]


def test_lines_come_in_the_order_of_the_input_whatever_their_mode(tmp_path, capsys):
    rows = [
        line(reviewer="b", text="I cannot evaluate these."),
        line(reviewer="a"),
        line(reviewer="b", text='{"scores": {"Response A": 8}}', note="ours"),
        line(reviewer="ü", text="", responses=["Antwort Ä"]),
    ]
    _, answers, _ = run(tmp_path, capsys, jsonl(*rows).replace(b"\n", b"\r\n\r\n"), "--json")
    assert [(answer["reviewer"], answer["mode"]) for answer in answers] == [
        ("b", "abstained"), ("a", "rubric"), ("b", "holistic"), ("ü", "unreadable"),
    ]  # fmt: skip
    assert answers[2]["responses"]["Response A"]["holistic"] == 8
    assert answers[2]["ranking"] == [["Response A"]]
    assert answers[0]["reported_ranking"] is None
    assert list(answers[3]["responses"]) == ["Antwort Ä"]


def test_a_partial_overall_is_unrounded_and_the_same_flag_is_there_once(tmp_path, capsys):
    entry = {"accuracy": 9, "completeness": 8, "conciseness": 95, "clarity": 11}
    _, (answer,), _ = run(
        tmp_path, capsys, jsonl(line(text=json.dumps({"evaluations": {"Response A": entry}}))), "--json"
    )
    a = answer["responses"]["Response A"]
    assert (a["overall"], a["incomplete"]) == (pytest.approx(5.15 / 0.6, abs=1e-14), True)
    assert answer["flags"] == [{"code": "out_of_range", "response": "Response A"}]


def test_the_standard_input_is_read(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(jsonl(line(), line()))))
    call_command("score_reviews", "-", "--json")
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_without_json_it_prints_lines_for_people(tmp_path, capsys):
    rows = (line(), line(text='{"scores": {"Response A": 8.5}}'))
    code, out, _ = run(tmp_path, capsys, jsonl(*rows))
    assert code == 0
    for words in (
        "model-1: rubric",
        "8.10",
        "overall_mismatch: Response B",
        "model-1: holistic",
        "8.5 holistic",
    ):
        assert words in out


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"", "reviews.jsonl line 1"),
        (b"\n\n", "reviews.jsonl line 1"),
        (b"not json", "reviews.jsonl line 1"),
        (jsonl(line()) + b"\n{}", "reviews.jsonl line 3 /reviewer"),
        (jsonl(line(), [1]), "reviews.jsonl line 2"),
        (jsonl(line(text=None)), "reviews.jsonl line 1 /text"),
        (jsonl(line(reviewer=7)), "reviews.jsonl line 1 /reviewer"),
        (jsonl(line(responses=[])), "reviews.jsonl line 1 /responses"),
        (jsonl(line(responses="Response A")), "reviews.jsonl line 1 /responses"),
        (jsonl(line(responses=["A", "A"])), "reviews.jsonl line 1 /responses"),
        (jsonl(line(responses=["A", " "])), "reviews.jsonl line 1 /responses"),
        (b'{"reviewer": "a", "reviewer": "b"}', "reviews.jsonl line 1"),
        (b"\xff\xfe", "reviews.jsonl line 1"),
    ],
)
def test_a_faulty_line_refuses_the_file_with_its_place(tmp_path, capsys, data, place):
    code, answers, err = run(tmp_path, capsys, data, "--json")
    assert (code, answers) == (2, [])
    faults = json.loads(err)["faults"]
    assert faults[0]["place"] == place
    assert all(set(fault) == {"place", "code", "message"} and fault["message"] for fault in faults)


def test_faults_are_printed_for_people_too(tmp_path, capsys):
    code, out, err = run(tmp_path, capsys, b"[]")
    assert (code, out) == (2, "")
    assert err.startswith("reviews.jsonl line 1: The line is no object.")


def test_a_rubric_of_ones_own_is_used_and_a_bad_one_refused(tmp_path, capsys):
    version = json.loads(first_version_bytes("response-1.0"))
    for criterion, weight in zip(version["criteria"], (0.1, 0.2, 0.3, 0.4), strict=True):
        criterion["weight"] = weight
    own = tmp_path / "rubric.json"
    own.write_text(json.dumps(version))
    _, (answer,), _ = run(tmp_path, capsys, jsonl(line()), "--json", "--rubric", str(own))
    assert answer["responses"]["Response A"]["overall"] == 7.8
    for body, place in (
        (b"{}", "rubric.json"),
        (first_version_bytes("discussion-1.0"), "rubric.json /kind"),
        (json.dumps(version).replace("0.4", "0.39").encode(), "rubric.json /criteria"),
    ):
        own.write_bytes(body)
        code, _, err = run(tmp_path, capsys, jsonl(line()), "--json", "--rubric", str(own))
        assert code == 2
        assert json.loads(err)["faults"][0]["place"] == place


def test_the_weights_of_the_installation_count(tmp_path, capsys, settings):
    settings.RESPONSE_WEIGHTS = dict(zip(CRITERIA, (0.1, 0.2, 0.3, 0.4), strict=True))
    _, (answer,), _ = run(tmp_path, capsys, jsonl(line()), "--json")
    assert answer["responses"]["Response A"]["overall"] == 7.8


def test_a_missing_file_is_said_so(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        call_command("score_reviews", str(tmp_path / "none.jsonl"), "--json")
    assert end.value.code == 2
    assert json.loads(capsys.readouterr().err)["faults"][0]["code"] == "cannot_read"


def test_a_version_with_scales_of_its_own_weighs_scores_on_the_common_scale(tmp_path, capsys):
    """0.5 x 7.75 + 0.2 x 10 + 0.3 x 6; a 7 is beyond 1 to 5, so 0.2 x 1 + 0.3 x 6 over 0.5."""
    version = tmp_path / "stories.json"
    version.write_bytes(canonical_bytes(three_scales()))
    said = {
        "Response A": {"coherence": 4, "recommend": 1, "depth": 6},
        "Response B": {"coherence": 7, "recommend": 0, "depth": 6},
    }
    text = fenced({"evaluations": said})
    _code, (answer,), _err = run(
        tmp_path, capsys, jsonl(line(responses=LABELS[:2], text=text)), "--json", "--rubric", str(version)
    )
    assert [response["overall"] for response in answer["responses"].values()] == [7.675, 4.0]
    assert answer["responses"]["Response A"]["scores"] == said["Response A"]
    assert answer["flags"] == [{"code": "out_of_range", "response": "Response B"}]
