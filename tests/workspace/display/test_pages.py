"""Markdown files are written by templates: line by line as they should be, and nothing of others is markup."""

from datetime import UTC, datetime

import pytest
from jinja2 import UndefinedError

from workspace.display.pages import render_markdown

PACKET = {
    "project": "Spring *trial*",
    "scope": "All games",
    "made_at": datetime(2026, 3, 2, 9, 5, tzinfo=UTC),
    "games": 2,
    "left_out": 0,
    "differing": 1,
    "judged": 4,
    "share": "25 %",
    "kinds": [
        {"label": "coherence", "differing": 1, "judged": 4, "share": "25 %", "ties": 0,
         "confusions": [("yes or no", 2), ("yes or |", 1)]},
        {"label": "reference", "differing": 0, "judged": 0, "share": "", "ties": 0, "confusions": []},
    ],
    "differences": [
        {"game": 7, "label": "coherence", "message": 5, "speaker": "Ann", "role": "SEER", "text": "```\n# out",
         "spans": [], "machine": "no", "evidence": ["Ann *said* so"],
         "answers": [
             {"word": "yes", "count": 2, "reasons": ["It <b>holds</b>", "It does"], "before": []},
             {"word": "no", "count": 1, "reasons": [], "before": ["yes"]},
         ],
         "resolved": "", "resolved_reason": ""},
        {"game": 8, "label": "rating", "message": 0, "speaker": "", "role": "", "text": "", "spans": [],
         "machine": "", "evidence": [], "answers": [], "resolved": "3.5", "resolved_reason": "Talked over."},
    ],
}  # fmt: skip
TEXT = r"""# Spring \*trial\*: what evaluators disagree on

All games. As of 2026-03-02 09:05 UTC.

They differ on 1 of 4 judged items (25 %) in 2 games.

| Kind | Differ | Of | Share | Without majority | Confused |
| --- | --- | --- | --- | --- | --- |
| coherence | 1 | 4 | 25 % | 0 | yes or no (2); yes or \| (1) |
| reference | 0 | 0 |  | 0 |  |

## 1. coherence: game 7, message 5, Ann

````text
```
# out
````

Automatic: no

- Ann \*said\* so

- **yes**, 2 of them - It \<b\>holds\</b\> - It does
- **no**, 1 of them (before the reveal: yes)

Decision: ________________

## 2. rating: game 8


Decision: 3.5: Talked over\.
"""


def test_a_packet_line_by_line():
    assert render_markdown("discussions/adjudication/packet.md", packet=PACKET) == TEXT


def test_a_template_cannot_leave_out_what_it_does_not_find():
    with pytest.raises(UndefinedError):
        render_markdown("discussions/adjudication/packet.md", summary=PACKET)
