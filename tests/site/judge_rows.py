"""The rows of the rights matrix about judges of games: leads and admins alone."""

from tests.site.matrix_rows import Row, operation

# a judge whose answers are pasted, with open prompts
JUDGE_ROWS = {
    "judges": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row(
            "POST",
            "401 403 403 404 303 404 303 401",
            {"name": "Elm", "model": "elm-1", "how": "pasted", "prompt": "Judge."},
        ),
    ],
    "show_judge": [Row("GET", "302 403 403 404 200 404 200 302")],
    "run_judge": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row(
            "POST",
            "401 403 403 404 303 404 303 401",
            {"games": "{number}", "kinds": "strategic_depth", "which": "all", "repeat_percent": "0"},
        ),
    ],
    "ask_judge": [Row("POST", "401 403 403 404 403 404 403 401")],
    "stop_judge": [Row("POST", "401 403 403 404 409 404 409 401")],
    "judge_answers": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 303 404 303 401", {"prompt": "2", "text": "My answer"}),
    ],
    "judge_prompts": [Row("POST", "401 403 403 404 200 404 200 401")],
    "upload_judge_answers": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 422 404 422 401"),
    ],
    "admit_judge": [
        Row(
            "POST",
            "401 403 403 404 409 404 409 401",
            {"metric": "coherence", "side": "mafia", "use": "strata"},
        ),
    ],
    "withdraw_admission": [
        Row("POST", "401 403 403 404 409 404 409 401", {"metric": "coherence", "side": "mafia"}),
    ],
    "suspend_judge": [Row("POST", "401 403 403 404 303 404 303 401", {"reason": "It drifts"})],
    "resume_judge": [Row("POST", "401 403 403 404 409 404 409 401")],
    "end_judge": [Row("POST", "401 403 403 404 303 404 303 401")],
}
JUDGE_OPERATIONS = {
    "api:api_judges": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation(
            "POST",
            "401 403 403 404 201 404 201 401",
            "admin",
            {"name": "Elm", "model": "elm-1", "prompt": "Judge."},
        ),
    ],
    "api:api_judge": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_judge_run": [
        operation(
            "POST",
            "401 403 403 404 200 404 200 401",
            "admin",
            {"games": "[{number}]", "kinds": '["strategic_depth"]', "items": "all"},
        ),
    ],
    "api:api_judge_ask": [operation("POST", "401 403 403 404 403 404 403 401", "admin")],
    "api:api_judge_prompts": [operation("GET", "401 403 403 404 200 404 200 401", "read")],
    "api:api_judge_answers": [
        operation(
            "POST",
            "401 403 403 404 200 404 200 401",
            "import",
            {"answers": '[{{"prompt": 2, "text": "My answer"}}]'},
        ),
    ],
    "api:api_judge_admit": [
        operation(
            "POST",
            "401 403 403 404 409 404 409 401",
            "admin",
            {"metric": "coherence", "side": "mafia", "use": "strata"},
        ),
    ],
    "api:api_judge_withdraw": [
        operation(
            "POST", "401 403 403 404 409 404 409 401", "admin", {"metric": "coherence", "side": "mafia"}
        ),
    ],
    "api:api_judge_suspend": [
        operation("POST", "401 403 403 404 200 404 200 401", "admin", {"reason": "It drifts"}),
    ],
    "api:api_judge_resume": [operation("POST", "401 403 403 404 409 404 409 401", "admin")],
    "api:api_judge_end": [operation("POST", "401 403 403 404 200 404 200 401", "admin")],
}
