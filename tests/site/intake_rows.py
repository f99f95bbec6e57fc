"""The rows of the rights matrix about the rules that fill a queue: leads and admins alone."""

from tests.site.matrix_rows import Row, operation

INTAKE_ROWS = {
    "fill_rules": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 200 404 200 401", {"rest": "50", "games": "later"}),
    ],
    "put_in_queue": [Row("POST", "401 403 403 404 303 404 303 401")],
    "take_out_of_queue": [Row("POST", "401 403 403 404 303 404 303 401")],
    "api:api_fill_rules": [
        operation("GET", "401 403 403 404 200 404 200 401", "read"),
        operation("POST", "401 403 403 404 200 404 200 401", "admin", {"rows": "[]", "rest": "=50"}),
    ],
    "api:api_fill_preview": [
        operation("POST", "401 403 403 404 200 404 200 401", "admin", {"rows": "[]", "rest": "=50"})
    ],
    "api:api_queue_in": [operation("POST", "401 403 403 404 200 404 200 401", "admin")],
    "api:api_queue_out": [operation("POST", "401 403 403 404 200 404 200 401", "admin")],
}
