"""The rights matrix: every route, every verb it understands, and what each kind of person is answered.

API operations are in operations_matrix.py. Their rows also name the scope that the token must have; everybody
asks by a token of theirs.
A row is `Row(verb, "status ...", body)`; the statuses stand in the order of `COLUMNS`. `{names}` in bodies and the
arguments of addresses are looked up in the world that tests/factories/world.py makes. Adding a route: add its name
with one row per verb; the arguments of its address are found by their names.

As htmx the same is expected, but that whoever is not signed in gets 401 instead of the way to the sign-in, and that
a redirect after an act (303) is answered 200 with the address for the browser; `htmx` names what differs otherwise.
"""

from tests.site.judge_rows import JUDGE_ROWS
from tests.site.matrix_rows import COLUMNS, Row
from tests.site.operations_matrix import OPERATIONS

__all__ = ["COLUMNS", "MATRIX", "Row"]

NEW_PERSON = {"email": "newcomer@example.org", "role": "evaluator"}


MATRIX: dict[str, list[Row]] = OPERATIONS | {
    # before the sign-in
    "account_login": [
        Row("GET", "200 302 302 302 302 302 302 200", htmx="200 200 200 200 200 200 200 200"),
        Row(
            "POST",
            "422 302 302 302 302 302 302 422",
            {"login": "a@example.org", "password": "x"},
            "422 200 200 200 200 200 200 422",
        ),
    ],
    "second_step": [  # of whom no password was asked yet
        Row("GET", "302 302 302 302 302 302 302 302", htmx="401 200 200 200 200 200 200 401"),
        Row(
            "POST",
            "302 302 302 302 302 302 302 302",
            {"code": "123456"},
            "401 200 200 200 200 200 200 401",
        ),
    ],
    "openid_connect_login": [  # where the other place does not answer
        Row("GET", "503 302 302 302 302 302 302 503", htmx="503 302 302 302 302 302 302 503"),
    ],
    "openid_connect_callback": [
        Row("GET", "403 302 302 302 302 302 302 403", htmx="403 302 302 302 302 302 302 403"),
    ],
    "account_logout": [
        Row("POST", "303 303 303 303 303 303 303 303", htmx="303 303 303 303 303 303 303 303"),
    ],
    "invitation": [
        Row("GET", "200 200 200 200 200 200 200 200"),
        Row(
            "POST",
            "303 400 400 400 400 400 400 303",
            {"name": "Newcomer", "password": "seven green parrots"},
        ),
    ],
    "password_by_link": [
        Row("GET", "200 200 200 200 200 200 200 200"),
        Row("POST", "303 303 303 303 303 303 303 303", {"password": "seven green parrots"}),
    ],
    # a new password by e-mail: pages that are not there, as no mail server is configured
    "account_reset_password": [
        Row("GET", "404 404 404 404 404 404 404 404"),
        Row("POST", "404 404 404 404 404 404 404 404", {"email": "a@example.org"}),
    ],
    "account_reset_password_done": [Row("GET", "404 404 404 404 404 404 404 404")],
    "account_reset_password_from_key": [
        Row("GET", "404 404 404 404 404 404 404 404"),
        Row("POST", "404 404 404 404 404 404 404 404", {"password": "seven green parrots"}),
    ],
    "set_theme": [
        Row("POST", "303 303 303 303 303 303 303 303", {"theme": "dark"}, "303 303 303 303 303 303 303 303"),
    ],
    "llms": [Row("GET", "200 200 200 200 200 200 200 200")],
    "docs": [Row("GET", "200 200 200 200 200 200 200 200")],
    "healthz": [Row("GET", "200 200 200 200 200 200 200 200")],
    "readyz": [Row("GET", "503 503 503 503 503 503 503 503")],
    # not there without METRICS_TOKEN
    "metrics": [Row("GET", "404 404 404 404 404 404 404 404")],
    # one's own
    "own_keys": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 303 303 303 303 303 303 401", {"yes": "k", "last_message": "y"}),
    ],
    "settings": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 303 303 303 303 303 303 401", {"name": "Somebody", "time_zone": "UTC"}),
    ],
    "account_change_password": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 422 422 422 422 422 422 401", {"old": "wrong", "password": "seven green parrots"}),
    ],
    "end_other_sign_ins": [Row("POST", "401 303 303 303 303 303 303 401")],
    "notifications": [Row("GET", "302 200 200 200 200 200 200 302")],
    "notification": [Row("GET", "302 404 404 404 302 404 404 302")],  # the lead's, of a flag
    "read_notifications": [Row("POST", "401 303 303 303 303 303 303 401", {"until": "1"})],
    "notification_settings": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 303 303 303 303 303 303 401", {"shown": "assigned"}),
    ],
    "second_factor": [Row("GET", "302 200 200 200 200 200 200 302")],
    "set_up_second_factor": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 422 422 422 422 422 422 401", {"code": "123456"}),
    ],
    "renew_recovery_codes": [Row("POST", "401 422 422 422 422 422 422 401", {"proof": "wrong"})],
    "switch_off_second_factor": [Row("POST", "401 422 422 422 422 422 422 401", {"proof": "wrong"})],
    "access_tokens": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 200 200 200 200 200 200 401", {"name": "A program", "scopes": "read", "days": "9"}),
    ],
    "revoke_access_token": [Row("POST", "401 303 404 404 404 404 303 401")],
    "all_access_tokens": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 422 401", {"name": "Pipeline", "role": "lead"}),
    ],
    "service_tokens": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 200 401", {"name": "A program", "scopes": "read", "days": "9"}),
    ],
    "api_docs": [Row("GET", "302 200 200 200 200 200 200 302")],
    "api_openapi": [Row("GET", "200 200 200 200 200 200 200 200")],
    # projects
    "projects": [Row("GET", "302 200 200 200 200 200 200 302")],
    "create_project": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"name": "New", "slug": "brand-new"}),
    ],
    "project": [Row("GET", "302 200 200 404 200 404 200 302")],
    "measure_again": [Row("POST", "401 403 403 404 303 404 303 401")],
    "members": [Row("GET", "302 403 403 404 200 404 200 302")],
    "add_to_project": [Row("POST", "401 403 403 404 403 404 200 401", NEW_PERSON)],
    "change_member": [Row("POST", "401 403 403 404 403 404 303 401", {"role": "lead"})],
    "end_member": [Row("POST", "401 403 403 404 403 404 303 401")],
    "withdraw_from_project": [Row("POST", "401 403 403 404 403 404 303 401")],
    "audit": [Row("GET", "302 403 403 404 200 404 200 302")],
    "audit_file": [Row("GET", "302 403 403 404 200 404 200 302")],
    # exports: a lead made one; a file is its owner's alone
    "exports": [Row("GET", "302 200 200 404 200 404 200 302")],
    "new_export": [
        Row("GET", "302 200 200 404 200 404 200 302"),
        Row("POST", "401 303 303 404 303 404 303 401", {"format": "jsonl"}),
    ],
    "download_export": [Row("POST", "401 404 404 404 200 404 404 401")],
    "cancel_export": [Row("POST", "401 404 404 404 409 404 404 401")],
    "remove_export": [Row("POST", "401 404 404 404 303 404 404 401")],
    # webhooks: a lead made one, and a game was measured since
    "webhooks": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row(
            "POST",
            "401 403 403 404 200 404 200 401",
            {"name": "Pipeline", "url": "https://ci.example.org/", "events": "game.measured"},
        ),
    ],
    "webhook": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row(
            "POST",
            "401 403 403 404 303 404 303 401",
            {"name": "Pipeline", "url": "https://ci.example.org/", "events": "game.measured"},
        ),
    ],
    "replace_webhook_secret": [Row("POST", "401 403 403 404 200 404 200 401")],
    "test_webhook": [Row("POST", "401 403 403 404 303 404 303 401")],
    "remove_webhook": [Row("POST", "401 403 403 404 303 404 303 401")],
    "send_again": [Row("POST", "401 403 403 404 303 404 303 401")],
    # rating: "assigned" has an open evaluation in which nothing is judged yet
    "home": [Row("GET", "302 200 200 200 200 200 200 302")],
    "mine": [Row("GET", "302 200 200 200 200 200 200 302")],
    "own_history": [Row("GET", "302 200 200 200 200 200 200 302")],
    "queue": [Row("GET", "302 200 200 404 200 404 200 302")],
    "practice": [
        Row("GET", "302 200 200 404 200 404 200 302"),
        Row("POST", "401 303 303 404 303 404 303 401"),
    ],
    "judge_practice": [Row("POST", "401 303 303 404 303 404 303 401", {"act": "question~1~0~yes"})],
    "undo_practice": [Row("POST", "401 422 422 404 422 404 422 401")],
    "next_game": [Row("POST", "401 303 303 404 403 404 403 401")],
    "rate": [Row("GET", "302 200 404 404 404 404 404 302")],
    "judge": [Row("POST", "401 303 404 404 404 404 404 401", {"act": "coherence~2~0~yes", "nonce": "n"})],
    "undo": [Row("POST", "401 422 404 404 404 404 404 401", {"key": "k"})],
    "submit_evaluation": [Row("POST", "401 422 404 404 404 404 404 401")],
    "reopen_evaluation": [Row("POST", "401 303 404 404 404 404 404 401")],
    # shown of submitted evaluations alone
    "own_differences": [Row("GET", "302 404 404 404 404 404 404 302")],
    "thoughts": [Row("GET", "302 403 404 404 404 404 404 302", htmx="401 403 404 404 404 404 404 401")],
    "skip_game": [Row("POST", "401 303 404 404 404 404 404 401", {"text": "I know this one"})],
    "renew_lease": [
        Row("GET", "302 302 404 404 404 404 404 302", htmx="401 200 404 404 404 404 404 401"),
        Row("POST", "401 303 404 404 404 404 404 401"),
    ],
    "return_to_game": [Row("POST", "401 303 404 404 404 404 404 401")],
    # reviewing: "assigned" reviews a set of the project and has started one of its comparisons
    "reviews": [Row("GET", "302 200 200 200 200 200 200 302")],
    "begin_review": [Row("POST", "401 303 404 404 404 404 404 401")],
    "next_review": [Row("POST", "401 303 404 404 404 404 404 401")],
    "review": [Row("GET", "302 200 404 404 404 404 404 302")],
    "mark": [Row("POST", "401 303 404 404 404 404 404 401", {"act": "holistic~1~0~7", "nonce": "n"})],
    "undo_mark": [Row("POST", "401 422 404 404 404 404 404 401", {"key": "k"})],
    "submit_review": [Row("POST", "401 422 404 404 404 404 404 401")],
    # what comes in, by import
    "imports": [Row("GET", "302 403 403 404 200 404 200 302")],
    "import_upload": [Row("POST", "401 403 403 404 422 404 422 401")],
    "import_show": [Row("GET", "302 403 403 404 200 404 200 302")],
    "import_cancel": [Row("POST", "401 403 403 404 303 404 303 401")],
    "import_resume": [Row("POST", "401 403 403 404 303 404 303 401")],
    "import_seen": [Row("POST", "401 403 403 404 303 404 303 401")],
    "map_columns": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401"),
    ],
    "column_mappings": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401"),
    ],
    "download_recipe": [Row("GET", "302 403 403 404 200 404 200 302")],
    "rename_recipe": [Row("POST", "401 403 403 404 303 404 303 401", {"name": "ours"})],
    "remove_mapping": [Row("POST", "401 403 403 404 303 404 303 401")],
    "import_separate": [Row("POST", "401 403 403 404 303 404 303 401")],
    "project_settings": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 303 404 303 401", {"identification": "test"}),
    ],
    "project_rules": [
        Row(
            "POST",
            "401 403 403 404 303 404 303 401",
            {"flags": "warn", "reopen_minutes": "10", "shows_differences": "yes", "records_at_submit": "no"},
        ),
    ],
    "set_storage_limit": [Row("POST", "401 403 403 404 403 404 303 401", {"megabytes": "500"})],
    # games and verdicts; those of verdicts on a game that "assigned" rated and whose verdict is recorded
    "games": [Row("GET", "302 302 302 404 200 404 200 302")],
    "search": [Row("GET", "302 200 200 404 200 404 200 302")],
    "search_everywhere": [Row("GET", "302 200 200 200 200 200 200 302")],
    "choose_games": [Row("GET", "302 403 403 404 400 404 400 302")],
    "assign_selected": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401"),
    ],
    "move_selected": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401"),
    ],
    "withdraw_selected": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401", {"reason": "Cut short"}),
    ],
    "choose_columns": [Row("POST", "401 403 403 404 303 404 303 401", {"columns": "cost"})],
    "game": [Row("GET", "302 404 404 404 200 404 200 302")],
    "verdict": [Row("GET", "302 200 404 404 200 404 200 302")],
    "record_verdict": [Row("POST", "401 422 404 404 422 404 422 401")],
    "record_games": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401"),
    ],
    "replay_verdict": [Row("POST", "401 200 404 404 200 404 200 401")],
    "report": [Row("GET", "302 200 404 404 200 404 200 302")],
    "report_markdown": [Row("GET", "302 200 404 404 200 404 200 302")],
    "report_json": [Row("GET", "302 200 404 404 200 404 200 302")],
    "report_csv": [Row("GET", "302 200 404 404 200 404 200 302")],
    # stages and iterations: the last one is a change that is open for import
    "open_stage": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401", {"name": "Stage"}),
    ],
    "team": [Row("GET", "302 403 403 404 200 404 200 302")],
    "team_holds": [Row("GET", "302 403 403 404 200 404 200 302")],
    "team_pace": [Row("GET", "302 403 403 404 200 404 200 302")],
    "release_place": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 303 404 303 401", {"reason": "Away"}),
    ],
    "assign_game": [
        Row("POST", "401 403 403 404 303 404 303 401", {"person": "{person}", "numbers": "{kept_number}"}),
    ],
    "unassign_game": [Row("POST", "401 403 403 404 303 404 303 401")],
    "change_queue": [
        Row("POST", "401 403 403 404 303 404 303 401", {"order": "oldest", "repeat_percent": "10"}),
    ],
    "stages": [Row("GET", "302 404 404 404 200 404 200 302")],
    "stage": [Row("GET", "302 404 404 404 200 404 200 302")],
    "stage_summary": [Row("GET", "302 404 404 404 200 404 200 302")],
    "stage_summary_markdown": [Row("GET", "302 404 404 404 200 404 200 302")],
    "stage_summary_json": [Row("GET", "302 404 404 404 200 404 200 302")],
    "stage_figures": [Row("GET", "302 404 404 404 200 404 200 302")],
    "compare_iterations": [Row("GET", "302 404 404 404 200 404 200 302")],
    "stage_gate": [Row("GET", "302 404 404 404 200 404 200 302")],
    "sign_stage": [Row("POST", "401 404 404 404 303 404 303 401", {"statement": "A joy."})],
    "open_next_stage": [Row("POST", "401 404 404 404 422 404 422 401", {"name": "Stage"})],
    "open_iteration": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row("POST", "401 404 404 404 422 404 422 401", {"do": "check"}),
    ],
    "iteration": [Row("GET", "302 404 404 404 200 404 200 302")],
    "play_list": [Row("GET", "302 404 404 404 200 404 200 302")],
    "play_list_json": [Row("GET", "302 404 404 404 200 404 200 302")],
    "change_version": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row("POST", "401 404 404 404 422 404 422 401", {"reason": "Newer"}),
    ],
    "weak_spots": [Row("GET", "302 404 404 404 200 404 200 302")],
    "weak_spots_markdown": [Row("GET", "302 404 404 404 200 404 200 302")],
    "edit_iteration": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row("POST", "401 404 404 404 422 404 422 401", {"do": "check"}),
    ],
    "move_games": [Row("POST", "401 404 404 404 422 404 422 401", {"to": "here"})],
    "open_for_rating": [Row("POST", "401 404 404 404 403 404 403 401")],
    "replay_reference": [Row("POST", "401 404 404 404 403 404 403 401")],
    "decide_iteration": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row("POST", "401 404 404 404 422 404 422 401", {"choice": "keep"}),
    ],
    "enter_figure": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row(
            "POST",
            "401 404 404 404 303 404 303 401",
            {"kind": "cost", "value": "1.35", "reason": "The invoice"},
        ),
    ],
    "edit_stage": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row("POST", "401 404 404 404 303 404 303 401", {"name": "Lively", "goal": "Watched to the end"}),
    ],
    "withdraw_game": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row("POST", "401 404 404 404 303 404 303 401", {"do": "withdraw", "reason": "Cut short"}),
    ],
    "diagnostics": [
        Row("GET", "302 404 404 404 302 404 302 302", htmx="401 404 404 404 200 404 200 401"),
        Row("POST", "401 404 404 404 303 404 303 401", htmx="401 404 404 404 200 404 200 401"),
    ],
    "drop_repeats": [Row("POST", "401 404 404 404 303 404 303 401")],
    "set_round_offset": [Row("POST", "401 404 404 404 303 404 303 401", {"offset": "0"})],
    # the installation
    "people": [Row("GET", "302 403 403 403 403 403 200 302")],
    "invite_admin": [Row("POST", "401 403 403 403 403 403 200 401", {"email": "boss@example.org"})],
    "withdraw_admin": [Row("POST", "401 403 403 403 403 403 303 401")],
    "switch_off": [Row("POST", "401 403 403 403 403 403 303 401")],
    "switch_on": [Row("POST", "401 403 403 403 403 403 409 401")],
    "change_email": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row(
            "POST",
            "401 403 403 403 403 403 303 401",
            {"email": "other@example.net", "reason": "A new address"},
        ),
    ],
    "erase_game": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row(
            "POST",
            "401 403 403 403 403 403 303 401",
            {"reason": "By mistake", "confirm": "game {number}"},
        ),
    ],
    "erase_upload": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row(
            "POST",
            "401 403 403 403 403 403 303 401",
            {"reason": "By mistake", "confirm": "upload {transcript}"},
        ),
    ],
    "erase_person": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row(
            "POST",
            "401 403 403 403 403 403 303 401",
            {"reason": "By mistake", "confirm": "person {person}"},
        ),
    ],
    "erase_project": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row(
            "POST",
            "401 403 403 403 403 403 303 401",
            {"reason": "By mistake", "confirm": "{slug}"},
        ),
    ],
    "erasures": [Row("GET", "302 403 403 403 403 403 200 302")],
    "reset_second_factor": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"reason": "Phone lost"}),
    ],
    "password_link": [
        Row("GET", "302 404 404 404 200 404 200 302"),
        Row("POST", "401 404 404 404 200 404 200 401"),
    ],
    "flags": [Row("GET", "302 200 200 404 200 404 200 302")],
    "answer_flag": [Row("POST", "401 303 404 404 303 404 303 401", {"do": "resolve", "text": ""})],
    "guideline": [Row("GET", "302 200 200 404 200 404 200 302")],
    "edit_guideline": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 303 404 303 401", {"text": "Heed roles", "after": "1"}),
    ],
    "confirm_guideline": [Row("POST", "401 303 303 404 303 404 303 401", {"number": "1"})],
    "site_audit_file": [Row("GET", "302 403 403 403 403 403 200 302")],
    "site_audit": [Row("GET", "302 403 403 403 403 403 200 302")],
    "design": [Row("GET", "302 403 403 403 403 403 200 302")],
    "overview": [Row("GET", "302 403 403 403 403 403 200 302")],
    "retry_job": [Row("POST", "401 404 404 404 303 404 303 401")],
    "status": [Row("GET", "302 403 403 403 200 200 200 302")],
    # rubrics
    "rubrics": [Row("GET", "302 200 200 200 200 200 200 302")],
    "rubric_version": [Row("GET", "302 200 200 200 200 200 200 302")],
    "compare_versions": [Row("GET", "302 200 200 200 200 200 200 302")],
    "export_version": [Row("GET", "302 403 403 403 200 200 200 302")],
    "import_rubric": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 422 401", {"note": "From elsewhere"}),
    ],
    "draft_version": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"note": "To try other weights"}),
    ],
    "edit_version": [  # of a draft, which nobody but admins knows of
        Row("GET", "302 404 404 404 404 404 200 302"),
        Row(
            "POST",
            "401 404 404 404 404 404 422 401",
            {"do": "check", "c0-key": "coherence", "c0-weight": "2"},
        ),
    ],
    "publish_version": [
        Row("GET", "302 404 404 404 404 404 200 302"),
        Row("POST", "401 404 404 404 404 404 303 401", {"reason": "Agreed", "basis": "{long_sha256}"}),
    ],
    "preview_version": [Row("POST", "401 404 404 404 404 404 303 401")],
    "cancel_preview": [Row("POST", "401 404 404 404 404 404 303 401")],
    "discard_version": [
        Row("GET", "302 404 404 404 404 404 200 302"),
        Row("POST", "401 404 404 404 404 404 303 401", {"reason": "Not needed", "basis": "{draft_sha256}"}),
    ],
    "offer_version": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"reason": "Compared with ours"}),
    ],
    "retire_version": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"reason": "Superseded"}),
    ],
    # comparison sets; "assigned" reviews in the one that there is
    "choose_scoring": [Row("POST", "401 403 403 403 403 403 303 401", {"is_on": "yes"})],
    "comparison_sets": [Row("GET", "302 200 200 404 200 404 200 302")],
    "open_set": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row(
            "POST",
            "401 403 403 404 303 404 303 401",
            {"name": "Soup", "version": "{response_version}", "mode": "both"},
        ),
    ],
    "comparison_set": [Row("GET", "302 403 404 404 200 404 200 302")],
    "set_results": [Row("GET", "302 403 404 404 200 404 200 302")],
    "comparison_result": [Row("GET", "302 403 404 404 200 404 200 302")],
    "add_comparison": [
        Row("GET", "302 403 404 404 200 404 200 302"),
        Row("POST", "401 403 404 404 422 404 422 401", {"do": "save", "question": "Is it so?"}),
    ],
    "import_comparisons": [
        Row("GET", "302 403 404 404 200 404 200 302"),
        Row("POST", "401 403 404 404 422 404 422 401"),
    ],
    "add_reviewer": [
        Row("POST", "401 403 404 404 303 404 303 401", {"kind": "elsewhere", "name": "A reader"})
    ],
    "change_people_needed": [Row("POST", "401 403 404 404 303 404 303 401", {"people_needed": "2"})],
    "end_reviewer": [Row("POST", "401 403 404 404 303 404 303 401")],
    # a set in which "assigned" is in calibration
    "set_calibrations": [
        Row("GET", "302 403 404 404 200 404 200 302"),
        Row("POST", "401 403 404 404 422 404 422 401", {"name": "Next", "comparisons": "99"}),
    ],
    "set_calibration": [Row("GET", "302 403 404 404 200 404 200 302")],
    "let_review": [Row("POST", "401 403 404 404 303 404 303 401", {"reason": "We talked"})],
    "close_set_calibration": [Row("POST", "401 403 404 404 303 404 303 401")],
    "change_repeats": [Row("POST", "401 403 404 404 303 404 303 401", {"repeat_percent": "5"})],
    # a game on which two evaluators of another project differ, that "lead" leads too; and the packet of "here"
    "adjudicate": [Row("GET", "302 404 404 404 200 404 200 302")],
    "adjudicate_one": [
        Row(
            "POST",
            "401 404 404 404 303 404 303 401",
            {
                "kind": "coherence",
                "subject": "5",
                "choice": "A",
                "reason": "It answers message 4",
                "sides_sha256": "{shared_sides}",
                "key": "k",
            },
        ),
    ],
    "adjudicate_group": [
        Row("POST", "401 404 404 404 422 404 422 401", {"group": "x", "value": "is:yes", "key": "k"}),
    ],
    "send_ties": [Row("POST", "401 404 404 404 422 404 422 401", {"evaluator": "999999"})],
    "ties": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 303 303 303 303 303 303 401"),
    ],
    "show_names": [Row("POST", "401 404 404 404 303 404 303 401")],
    "return_evaluation": [
        Row("POST", "401 404 404 404 303 404 303 401", {"comment": "Look at 5 again"}),
    ],
    "need_fewer": [Row("POST", "401 404 404 404 422 404 422 401", {"count": "1", "reason": "Enough"})],
    "packet": [Row("GET", "302 403 403 404 200 404 200 302")],
    "packet_markdown": [Row("GET", "302 403 403 404 200 404 200 302")],
    # a calibration round of another project, led by "lead", half done by "assigned"
    "calibrations": [
        Row("GET", "302 403 404 404 200 404 200 302"),
        Row("POST", "401 403 404 404 422 404 422 401", {"name": "Next", "games": "99"}),
    ],
    "calibration": [Row("GET", "302 403 404 404 200 404 200 302")],
    "take_calibration": [Row("POST", "401 303 404 404 403 404 403 401")],
    "calibration_feedback": [Row("GET", "302 200 404 404 404 404 404 302")],
    "let_rate": [Row("POST", "401 403 404 404 303 404 303 401", {"reason": "We talked"})],
    "close_calibration": [Row("POST", "401 403 404 404 303 404 303 401")],
    **JUDGE_ROWS,
    # how far machine and people agree, in a project with figures
    "accuracy": [Row("GET", "302 403 403 404 200 404 200 302")],
    "accuracy_cases": [
        Row(
            "GET",
            "302 403 403 404 200 404 200 302",
            {"table": "strategic_depth", "row": "yes", "column": "yes"},
        ),
    ],
    "agreement": [Row("GET", "302 403 403 404 200 404 200 302")],
    "agreement_thing": [Row("GET", "302 404 404 404 200 404 200 302")],
    "worth_watching": [Row("GET", "302 403 403 404 200 404 200 302")],
    "agents": [Row("GET", "302 403 403 404 200 404 200 302")],
    "agent": [Row("GET", "302 403 403 404 200 404 200 302", {"agent": "Ann"})],
    "agent_markdown": [Row("GET", "302 403 403 404 200 404 200 302", {"agent": "Ann"})],
    "agents_table": [Row("GET", "302 403 403 404 200 404 200 302")],
    "categories": [Row("GET", "302 403 403 404 200 404 200 302")],
    "categories_markdown": [Row("GET", "302 403 403 404 200 404 200 302")],
    "give_code": [Row("POST", "401 403 403 404 422 404 422 401", {"game": "99", "name": "Odd"})],
    "give_code_to_found": [Row("POST", "401 403 403 404 422 404 422 401", {"q": "xyz", "name": "Odd"})],
    "change_category": [Row("POST", "401 403 403 404 303 404 303 401", {"do": "rename", "name": "Stalls"})],
    "take_code_back": [Row("POST", "401 403 403 404 303 404 403 401")],
    "figure_agents": [Row("POST", "401 403 403 404 303 404 303 401")],
    "figure_team": [Row("POST", "401 403 403 404 303 404 303 401", {"kind": "accuracy"})],
    **{
        name: [Row("GET", "302 301 301 301 301 301 301 302")]
        for name in ("moved_settings", "moved_columns", "moved_reviewers", "moved_reviewer", "moved_weights")
    },
    # the statistics of a closed set, in which "assigned" reviews
    "set_reviewers": [Row("GET", "302 200 404 404 200 404 200 302")],
    "set_reviewer": [Row("GET", "302 403 404 404 200 404 200 302")],
    "set_agreement": [Row("GET", "302 200 404 404 200 404 200 302")],
    "set_success": [Row("GET", "302 200 404 404 200 404 200 302")],
    "set_weights": [Row("GET", "302 403 404 404 200 404 200 302")],
    "figure_set": [Row("POST", "401 303 404 404 303 404 303 401", {"kind": "success"})],
    "adopt_fit": [Row("POST", "401 403 404 404 403 404 409 401", {"target": "holistic", "basis": "x"})],
    "survey": [
        Row("GET", "302 200 404 404 403 404 403 302"),
        Row("POST", "401 303 404 404 403 404 403 401", {"do": "begin"}),
    ],
    # models that review; the site has no endpoint, so nobody has them asked by calls
    "set_answers": [Row("GET", "302 403 404 404 200 404 200 302")],
    "ask_models": [Row("POST", "401 403 404 404 403 404 403 401")],
    "stop_asking": [Row("POST", "401 403 404 404 409 404 409 401")],
    "ask_failed_again": [Row("POST", "401 403 404 404 409 404 409 401")],
    "open_prompts": [Row("POST", "401 403 404 404 200 404 200 401")],
    "upload_answers": [
        Row("GET", "302 403 404 404 200 404 200 302"),
        Row("POST", "401 403 404 404 422 404 422 401"),
    ],
    "model_answer": [Row("GET", "302 403 404 404 200 404 200 302")],
    "make_prompt": [Row("POST", "401 403 404 404 303 404 303 401")],
    "prompt_text": [Row("GET", "302 403 404 404 200 404 200 302")],
    "paste_answer": [
        Row("POST", "401 403 404 404 303 404 303 401", {"text": "I prefer A."}),
        Row("POST", "401 403 404 404 422 404 422 401", {"text": ""}),
    ],
    "ask_again": [Row("POST", "401 403 404 404 303 404 303 401")],
    "model_parameters": [
        Row("GET", "302 403 404 404 200 404 200 302"),
        Row("POST", "401 403 404 404 409 404 409 401", {"temperature": "0"}),
        Row("POST", "401 403 404 404 422 404 422 401", {"temperature": "9"}),
    ],
    "set_readings": [Row("GET", "302 403 404 404 200 404 200 302")],
    "reread_answers": [Row("POST", "401 403 404 404 409 404 409 401")],
    "reading": [Row("GET", "302 403 404 404 200 404 200 302")],
    "reread_answer": [Row("POST", "401 403 404 404 409 404 409 401")],
    "correct_reading": [
        Row("POST", "401 403 404 404 303 404 303 401", {"reason": "Two labels are swapped."}),
        Row("POST", "401 403 404 404 422 404 422 401", {"reason": ""}),
    ],
    "answer_text": [Row("GET", "302 403 404 404 200 404 200 302")],
    "close_set": [Row("POST", "401 403 404 404 303 404 303 401")],
    "reopen_set": [Row("POST", "401 403 404 404 409 404 409 401")],
}
