"""`evalsite mcp`: some operations of a site's API as tools of an MCP server on standard input and output.

EVALSITE_URL names the site; EVALSITE_TOKEN, or the file that EVALSITE_TOKEN_FILE names, holds an access token. What the
tools are called, say and take is the API's own description. Files come from, and go to, the folder of the start.
"""

import asyncio
import os
import sys
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote

# By operationId. None judges, decides or changes what counts: tests hold that no other scope is needed.
OFFERED = (
    "get_projects", "get_dashboard", "get_games", "get_messages", "get_all_messages", "get_game", "get_transcript",
    "get_measurements", "get_references", "get_verdict", "get_ready_games", "get_disagreements", "get_game_evaluations",
    "get_stages", "get_gate", "get_stage_summary", "get_iterations", "get_iteration", "get_decision",
    "get_worth_watching", "get_sets", "get_set_results", "get_comparison_result", "get_rubrics", "get_rubric_version",
    "post_imports", "get_imports", "get_import", "post_exports", "get_export", "post_export_file",
)  # fmt: skip
SCOPES = {"read", "import"}
WITHOUT_SDK = "The MCP server needs one more package: pip install 'evalsite[mcp]'"
NOT_SET = (
    "Set EVALSITE_URL to the site's address, and EVALSITE_TOKEN (or EVALSITE_TOKEN_FILE) to an access token."
)
FILE = {"type": "string", "description": "name of a file in the folder in which the server was started"}


def main() -> int:
    """Serve until standard input ends; 1 where the site cannot be reached or the SDK is missing, 2 for bad settings."""
    try:
        import httpx2 as httpx
        import mcp  # noqa: F401
    except ImportError:
        print(WITHOUT_SDK, file=sys.stderr)
        return 1
    try:
        address, token = read_settings()
    except (KeyError, OSError, ValueError):
        print(NOT_SET, file=sys.stderr)
        return 2
    site = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60)
    try:
        described = site.get("/api/v1/openapi.json").raise_for_status().json()
        asyncio.run(serve(Tools(site, described)))
    except (httpx.HTTPError, ValueError) as error:
        print(f"{address} does not answer as an evalsite: {error}", file=sys.stderr)
        return 1
    return 0


def read_settings() -> tuple[str, str]:
    """Address and token. Arguments are refused: other processes can read them."""
    if sys.argv[2:]:
        raise ValueError
    path = os.environ.get("EVALSITE_TOKEN_FILE", "")
    token = os.environ.get("EVALSITE_TOKEN") or Path(path).read_text(encoding="ascii").strip()
    return os.environ["EVALSITE_URL"].rstrip("/"), token


class Tools:
    """The operations that a site offers of those in `OFFERED`, and how to ask them."""

    def __init__(self, site: Any, described: dict[str, Any]) -> None:
        self.site = site
        self.schemas = described["components"]["schemas"]
        self.operations = {
            operation["operationId"]: operation | {"verb": verb.upper(), "path": path}
            for path, verbs in described["paths"].items()
            for verb, operation in verbs.items()
            if operation["operationId"] in OFFERED and operation["x-scope"] in SCOPES
        }

    def describe(self) -> list[Any]:
        from mcp.types import Tool, ToolAnnotations

        return [
            Tool(
                name=name,
                description="\n\n".join(
                    filter(None, [operation["summary"] + ".", operation.get("description")])
                ),
                input_schema=self.describe_input(operation),
                annotations=ToolAnnotations(
                    read_only_hint=operation["verb"] == "GET", destructive_hint=False
                ),
            )
            for name, operation in sorted(self.operations.items())
        ]

    def describe_input(self, operation: dict[str, Any]) -> dict[str, Any]:
        """The parameters and the fields of the body as one object."""
        given = [part for part in operation["parameters"] if part["in"] != "header"]
        fields = {
            part["name"]: {"description": part.get("description", "")} | part["schema"] for part in given
        }
        needed = [part["name"] for part in given if part["in"] == "path"]
        body = self.follow(self.body(operation))
        if is_bytes(operation):
            fields, needed = fields | {"file": FILE}, [*needed, "file"]
        fields |= body.get("properties", {})
        return {
            "type": "object",
            "properties": fields,
            "required": [*needed, *body.get("required", [])],
            "additionalProperties": False,
        }

    def body(self, operation: dict[str, Any]) -> dict[str, Any]:
        contents = operation.get("requestBody", {}).get("content", {})
        schema: dict[str, Any] = contents.get("application/json", {}).get("schema", {})
        return schema

    def follow(self, schema: Any) -> Any:
        """The schema with what it refers to in place."""
        if isinstance(schema, list):
            return [self.follow(part) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self.follow(self.schemas[schema["$ref"].rpartition("/")[2]])
        return {name: self.follow(part) for name, part in schema.items()}

    def ask(self, name: str, given: dict[str, Any]) -> tuple[str, bool]:
        """The answer as text, and whether it is an error, which is the API's own sentence."""
        import httpx2 as httpx

        operation = self.operations.get(name)
        if operation is None:
            return f"There is no tool {name} here.", True
        try:
            answer = self.site.request(operation["verb"], **self.request(operation, dict(given)))
        except OSError as error:
            return f"The file cannot be read: {error}.", True
        except httpx.HTTPError as error:
            return f"The site did not answer: {error}. Try again.", True
        if answer.is_error:
            return say_problem(answer), True
        if "application/json" in answer.headers.get("content-type", ""):
            return answer.text, False
        return save(answer, given), False

    def request(self, operation: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
        """What to send. Raises OSError where a file is not in the folder, or cannot be read."""
        headers = {} if operation["verb"] == "GET" else {"Idempotency-Key": str(uuid.uuid4())}
        sent: dict[str, Any] = {}
        if is_bytes(operation):
            path = find_file(given.pop("file", ""))
            sent["content"] = path.read_bytes()
            headers["Content-Type"] = "application/octet-stream"
            given.setdefault("name", path.name)
        path = operation["path"]
        query = {}
        for part in operation["parameters"]:
            value = given.pop(part["name"], None)
            if part["in"] == "path":
                path = path.replace(f"{{{part['name']}}}", quote(str(value), safe=""))
            elif value is not None:
                query[part["name"]] = value
        if self.body(operation):
            sent["json"] = given
        else:
            query |= given  # the API refuses what it does not know
        return {"url": path, "params": query, "headers": headers, **sent}


def is_bytes(operation: dict[str, Any]) -> bool:
    return "application/octet-stream" in operation.get("requestBody", {}).get("content", {})


def find_file(name: str) -> Path:
    """The file of that name in this folder, or one below it. Raises OSError for any other."""
    path = Path(name).resolve()
    if not path.is_relative_to(Path.cwd()):
        raise PermissionError(f"{name} is not in {Path.cwd()}, where the server was started")
    return path


def save(answer: Any, given: dict[str, Any]) -> str:
    """Write the file of an answer into this folder, over none that is there, and say where."""
    named = answer.headers.get("content-disposition", "").rpartition("filename=")[2].strip('"')
    path = Path(Path(named).name or f"export-{given.get('export', '')}")
    while path.exists():
        path = path.with_name(f"{uuid.uuid4().hex[:6]}-{path.name}")
    path.write_bytes(answer.content)
    return f"Saved as {path.resolve()}, {len(answer.content)} bytes."


def say_problem(answer: Any) -> str:
    """The sentence of an error, with all faults where there are several."""
    try:
        problem = answer.json()
        return "\n".join(filter(None, [problem["detail"], str(problem.get("more") or "")]))
    except (ValueError, KeyError):
        return f"The site answered {answer.status_code} without a reason. Try again."


async def serve(tools: Tools) -> None:
    from mcp import stdio_server
    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult, ListToolsResult, TextContent

    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=tools.describe())

    async def call_tool(_context: Any, params: Any) -> CallToolResult:
        text, is_error = await asyncio.to_thread(tools.ask, params.name, params.arguments or {})
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)

    server: Server[Any] = Server("evalsite", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
