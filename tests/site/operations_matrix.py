"""The operations of the API in the rights matrix."""

from tests.site.intake_rows import INTAKE_ROWS
from tests.site.judge_rows import JUDGE_OPERATIONS
from tests.site.matrix_rows import Row, operation

OPERATIONS: dict[str, list[Row]] = {
    "api:api_projects": [operation("GET", "401 200 200 200 200 200 200 401", "read")],
    "api:api_notifications": [operation("GET", "401 200 200 200 200 200 200 401", "read")],
    "api:api_read_notifications": [
        operation("POST", "401 200 200 200 200 200 200 401", "read", {"until": "=1"})
    ],
    "api:api_dashboard": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_overview": [operation("GET", "401 403 403 403 403 403 200 401", "admin")],
    "api:api_job_retry": [operation("POST", "401 404 404 404 200 404 200 401", "admin")],
    "api:api_exports": [
        operation("GET", "401 200 200 404 200 404 200 401", "read"),
        operation("POST", "401 202 202 404 202 404 202 401", "read", {"format": "csv"}),
    ],
    "api:api_export": [operation("GET", "401 404 404 404 200 404 404 401", "read")],
    "api:api_export_file": [operation("POST", "401 404 404 404 200 404 404 401", "read")],
    "api:api_export_cancel": [operation("POST", "401 404 404 404 409 404 404 401", "read")],
    "api:api_export_remove": [operation("POST", "401 404 404 404 200 404 404 401", "read")],
    "api:api_audit": [operation("GET", "401 403 403 404 200 404 200 401", "admin")],
    "api:api_site_audit": [operation("GET", "401 403 403 403 403 403 200 401", "admin")],
    "api:api_games": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_messages": [operation("GET", "401 200 200 404 200 404 200 401", "read")],
    "api:api_all_messages": [operation("GET", "401 200 200 200 200 200 200 401", "read")],
    "api:api_game": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_transcript": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_measurements": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_references": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_withdrawal": [
        operation(
            "POST",
            "401 404 404 404 200 404 200 401",
            "admin",
            {"is_withdrawn": "=true", "reason": "Cut short"},
        ),
    ],
    "api:api_erase_game": [
        operation("POST", "401 404 404 404 403 404 200 401", "admin", {"reason": "By mistake"}),
    ],
    "api:api_erase_import": [
        operation("POST", "401 403 403 404 403 404 200 401", "admin", {"reason": "By mistake"}),
    ],
    "api:api_erase_project": [
        operation("POST", "401 403 403 404 403 404 200 401", "admin", {"reason": "By mistake"}),
    ],
    "api:api_erasures": [operation("GET", "401 403 403 403 403 403 200 401", "read")],
    "api:api_rounds": [operation("POST", "401 404 404 404 200 404 200 401", "admin", {"offset": "=0"})],
    "api:api_figures": [
        operation(
            "POST",
            "401 404 404 404 200 404 200 401",
            "admin",
            {"kind": "cost", "value": "1.35", "reason": "The invoice"},
        ),
    ],
    "api:api_disagreements": [
        operation("GET", "401 404 404 404 200 404 200 401", "read"),
        operation(
            "POST",
            "401 404 404 404 200 404 200 401",
            "admin",
            {
                "kind": "coherence",
                "subject": "5",
                "side": "A",
                "reason": "It answers message 4",
                "sides_sha256": "{shared_sides}",
            },
        ),
    ],
    "api:api_send_ties": [
        operation("POST", "401 404 404 404 422 404 422 401", "admin", {"person": "999999"})
    ],
    "api:api_ties": [
        operation("GET", "401 200 200 200 200 200 200 401", "read"),
        operation("POST", "401 422 422 422 422 422 422 401", "rate", {"id": "999999", "value": "yes"}),
    ],
    "api:api_game_evaluations": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_names": [operation("POST", "401 404 404 404 200 404 200 401", "admin")],
    "api:api_return_evaluation": [
        operation("POST", "401 404 404 404 200 404 200 401", "admin", {"comment": "Look at 5 again"}),
    ],
    "api:api_worth_watching": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_categories": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 422 404 422 401", "admin", {"game": "99", "name": "Odd"}),
    ],
    "api:api_category": [
        operation("POST", "401 403 403 404 200 404 200 401", "admin", {"do": "rename", "name": "Odd"}),
    ],
    "api:api_code_take_back": [operation("POST", "401 403 403 404 200 404 403 401", "admin")],
    "api:api_agents": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_agent": [operation("GET", "401 403 403 404 200 404 200 401", "read", {"agent": "Ann"})],
    "api:api_calibrations": [
        operation("GET", "401 403 404 404 200 404 200 401", "read"),
        operation("POST", "401 403 404 404 422 404 422 401", "admin", {"name": "Next", "games": "[99]"}),
    ],
    "api:api_calibration": [operation("GET", "401 403 404 404 200 404 200 401", "read")],
    "api:api_calibration_close": [operation("POST", "401 403 404 404 200 404 200 401", "admin")],
    "api:api_let_rate": [
        operation("POST", "401 403 404 404 200 404 200 401", "admin", {"reason": "We talked"}),
    ],
    **JUDGE_OPERATIONS,
    **INTAKE_ROWS,
    "api:api_set_calibrations": [
        operation("GET", "401 403 404 404 200 404 200 401", "read"),
        operation(
            "POST", "401 403 404 404 422 404 422 401", "admin", {"name": "Next", "comparisons": "[99]"}
        ),
    ],
    "api:api_set_calibration": [operation("GET", "401 403 404 404 200 404 200 401", "read")],
    "api:api_set_calibration_close": [operation("POST", "401 403 404 404 200 404 200 401", "admin")],
    "api:api_let_review": [
        operation("POST", "401 403 404 404 200 404 200 401", "admin", {"reason": "We talked"}),
    ],
    "api:api_set_repeats": [
        operation("POST", "401 403 404 404 200 404 200 401", "admin", {"repeat_percent": "=5"}),
    ],
    "api:api_verdict": [
        operation("GET", "401 200 404 404 200 404 200 401", "read"),
        operation("POST", "401 409 404 404 409 404 409 401", "admin", {"basis_sha256": "of another basis"}),
    ],
    "api:api_ready_games": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 422 404 422 401", "admin", {"games": "[]"}),
    ],
    "api:api_imports": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 202 404 202 401", "import", {"bytes": "[]"}),
    ],
    "api:api_import": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_import_cancel": [operation("POST", "401 403 403 404 200 404 200 401", "import")],
    "api:api_import_resume": [operation("POST", "401 403 403 404 200 404 200 401", "import")],
    "api:api_import_seen": [operation("POST", "401 403 403 404 200 404 200 401", "import")],
    "api:api_import_separate": [operation("POST", "401 403 403 404 202 404 202 401", "import")],
    "api:api_recipes": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 422 404 422 401", "import"),
    ],
    "api:api_recipe": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("PUT", "401 403 403 404 422 404 422 401", "import"),
        operation("DELETE", "401 403 403 404 200 404 200 401", "import"),
    ],
    "api:api_recipe_rename": [
        operation("POST", "401 403 403 404 200 404 200 401", "import", {"name": "ours"})
    ],
    "api:api_file_columns": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation(
            "POST",
            "401 403 403 404 200 404 200 401",
            "import",
            {"fields": '{{"player": "who", "text": "what"}}'},
        ),
    ],
    "api:api_stages": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 409 404 409 401", "admin", {"name": "Another"}),
    ],
    "api:api_gate": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_sign_stage": [
        operation("POST", "401 404 404 404 200 404 200 401", "admin", {"statement": "A joy."}),
    ],
    "api:api_change_version": [
        operation("GET", "401 404 404 404 200 404 200 401", "read"),
        operation(
            "POST",
            "401 404 404 404 422 404 422 401",
            "admin",
            {"version": "99.9", "preview_sha256": "{shared_sides}", "reason": "Newer"},
        ),
    ],
    "api:api_measure_again": [operation("POST", "401 403 403 404 200 404 200 401", "admin")],
    "api:api_next_stage": [
        operation("POST", "401 404 404 404 403 404 422 401", "admin", {"name": "Next"}),
    ],
    "api:api_iteration_plan": [
        operation(
            "POST",
            "401 404 404 404 201 404 201 401",
            "admin",
            {"kind": "baseline", "name": "Fresh", "prompt": "Play."},
        ),
    ],
    "api:api_iteration_edit": [operation("POST", "401 404 404 404 200 404 200 401", "admin")],
    "api:api_iteration_replay": [operation("POST", "401 404 404 404 403 404 403 401", "admin")],
    "api:api_play_list": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_iteration_games": [
        operation("POST", "401 404 404 404 422 404 422 401", "admin", {"games": "[]"}),
    ],
    "api:api_stage_summary": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_settings": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 200 404 200 401", "admin", {"reopen_minutes": "=10"}),
        operation("POST", "401 403 403 404 403 404 200 401", "admin", {"storage_limit_mb": "=10"}),
    ],
    "api:api_iterations": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_iteration": [operation("GET", "401 404 404 404 200 404 200 401", "read")],
    "api:api_evaluations": [operation("GET", "401 200 200 200 200 200 200 401", "read")],
    "api:api_evaluation": [operation("GET", "401 200 404 404 404 404 404 401", "read")],
    "api:api_judgements": [
        operation(
            "POST",
            "401 200 404 404 404 404 404 401",
            "rate",
            {"judgements": '[{{"kind": "question", "subject": "1", "value": "yes"}}]'},
        ),
    ],
    "api:api_undo": [operation("POST", "401 422 404 404 404 404 404 401", "rate")],
    "api:api_submit": [operation("POST", "401 422 404 404 404 404 404 401", "rate")],
    "api:api_skip": [operation("POST", "401 200 404 404 404 404 404 401", "rate", {"reason": "I know it"})],
    "api:api_reopen": [operation("POST", "401 200 404 404 404 404 404 401", "rate")],
    "api:api_return": [operation("POST", "401 200 404 404 404 404 404 401", "rate")],
    "api:api_next_game": [operation("POST", "401 200 200 404 403 404 403 401", "rate")],
    "api:api_team": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_assign": [
        operation(
            "POST",
            "401 403 403 404 200 404 200 401",
            "admin",
            {"person": "={person}", "games": "[{kept_number}]"},
        ),
    ],
    "api:api_unassign": [operation("POST", "401 403 403 404 200 404 200 401", "admin")],
    "api:api_iteration_open": [operation("POST", "401 404 404 404 403 404 403 401", "admin")],
    "api:api_decision": [
        operation("GET", "401 404 404 404 200 404 200 401", "read"),
        operation(
            "POST",
            "401 404 404 404 403 404 403 401",
            "admin",
            {"choice": "keep", "reason": "Better", "basis_sha256": "of another basis"},
        ),
    ],
    "api:api_rubrics": [
        operation("GET", "401 200 200 200 200 200 200 401", "read"),
        operation("POST", "401 403 403 403 403 403 422 401", "admin"),
    ],
    "api:api_rubric_version": [operation("GET", "401 403 403 403 200 200 200 401", "read")],
    "api:api_rubric_file": [operation("GET", "401 403 403 403 200 200 200 401", "read")],
    "api:api_rubric_differences": [operation("GET", "401 403 403 403 200 200 200 401", "read")],
    "api:api_rubric_drafts": [operation("POST", "401 403 403 403 403 403 422 401", "admin")],
    "api:api_rubric_publish": [
        operation(
            "POST",
            "401 403 403 403 403 403 403 401",
            "admin",
            {"reason": "Agreed", "basis_sha256": "of another"},
        )
    ],
    "api:api_rubric_preview": [
        operation("GET", "401 403 403 403 403 403 403 401", "read"),
        operation("POST", "401 403 403 403 403 403 403 401", "admin"),
    ],
    "api:api_sets": [
        operation("GET", "401 200 200 404 200 404 200 401", "read"),
        operation(
            "POST",
            "401 403 403 404 201 404 201 401",
            "import",
            {"name": "Soup", "rubric": "{response_slug}", "version": "{response_number}", "mode": "both"},
        ),
    ],
    "api:api_set": [operation("GET", "401 403 404 404 200 404 200 401", "read")],
    "api:api_set_lines": [operation("POST", "401 403 404 404 422 404 422 401", "import", {"bytes": "[]"})],
    "api:api_set_reviewers": [
        operation(
            "POST",
            "401 403 404 404 201 404 201 401",
            "import",
            {"kind": "model", "name": "A model"},
        ),
    ],
    "api:api_set_reviewer_end": [operation("POST", "401 403 404 404 200 404 200 401", "import")],
    "api:api_set_close": [operation("POST", "401 403 404 404 200 404 200 401", "import")],
    "api:api_set_reopen": [operation("POST", "401 403 404 404 409 404 409 401", "import")],
    "api:api_reviews": [operation("GET", "401 200 200 200 200 200 200 401", "read")],
    "api:api_next_review": [operation("POST", "401 200 404 404 404 404 404 401", "rate")],
    "api:api_begin_review": [operation("POST", "401 200 404 404 404 404 404 401", "rate")],
    "api:api_review": [operation("GET", "401 200 404 404 404 404 404 401", "read")],
    "api:api_marks": [
        operation(
            "POST",
            "401 200 404 404 404 404 404 401",
            "rate",
            {"marks": '[{{"kind": "holistic", "subject": "1", "value": "7"}}]'},
        ),
    ],
    "api:api_undo_mark": [operation("POST", "401 422 404 404 404 404 404 401", "rate")],
    "api:api_submit_review": [operation("POST", "401 422 404 404 404 404 404 401", "rate")],
    "api:api_survey": [
        operation("GET", "401 200 404 404 403 404 403 401", "read"),
        operation("POST", "401 200 404 404 403 404 403 401", "rate", {"do": "begin"}),
    ],
    "api:api_set_results": [operation("GET", "401 403 404 404 200 404 200 401", "read")],
    "api:api_comparison_result": [operation("GET", "401 403 404 404 200 404 200 401", "read")],
    "api:api_prompt": [operation("POST", "401 403 404 404 200 404 200 401", "import")],
    "api:api_raw_answer": [
        operation("POST", "401 403 404 404 200 404 200 401", "import", {"text": "I prefer A."}),
    ],
    "api:api_webhooks": [
        operation("GET", "401 403 403 404 200 404 200 401", "admin"),
        operation(
            "POST",
            "401 403 403 404 201 404 201 401",
            "admin",
            {
                "name": "CI",
                "url": "https://ci.example.org/",
                "events": '["game.measured"]',
                "secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
            },
        ),
    ],
    "api:api_webhook": [
        operation(
            "POST",
            "401 403 403 404 200 404 200 401",
            "admin",
            {
                "name": "CI",
                "url": "https://ci.example.org/",
                "events": '["game.measured"]',
                "is_active": "=false",
            },
        ),
    ],
    "api:api_webhook_remove": [operation("POST", "401 403 403 404 200 404 200 401", "admin")],
    "api:api_webhook_secret": [
        operation(
            "POST",
            "401 403 403 404 200 404 200 401",
            "admin",
            {"secret": "whsec_OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2NTQzMjEwOTg="},
        ),
    ],
    "api:api_webhook_test": [operation("POST", "401 403 403 404 202 404 202 401", "admin")],
    "api:api_delivery_again": [operation("POST", "401 403 403 404 202 404 202 401", "admin")],
    "api:api_deliveries": [operation("GET", "401 403 403 404 200 404 200 401", "admin")],
    "api:api_guideline": [
        operation("GET", "401 200 200 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 200 404 200 401", "admin", {"text": "Heed roles", "after": "=1"}),
    ],
    "api:api_guideline_read": [
        operation("POST", "401 200 200 404 200 404 200 401", "rate", {"version": "=1"})
    ],
}
