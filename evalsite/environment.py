"""Strict readers of the environment: every variable that the site knows is read here, once, by name.

A value that is missing or malformed raises ImproperlyConfigured with a sentence that says which variable it is,
why it is needed and what to write. `.env.example` lists the variables.
"""

import os
import re
import sys
from decimal import Decimal
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import available_timezones

import environ
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from rubric.core.weights import weight_problems
from rubric.model_reviewers.core import Price

ROOT: Path = Path(__file__).resolve().parent.parent
PRIVATE = 0o077
HOST = re.compile(r"\.?[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*\.?|\[?[0-9a-fA-F]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*\]?")
POSTGRES = ("postgres", "postgresql", "psql", "pgsql")
_reader = environ.Env()


def read_settings() -> None:
    """Read the settings now; where the environment is wrong, the process ends with the sentence alone.

    What this process writes from now on is for the account that it runs as alone: database, uploads, logs, exports.
    """
    os.umask(PRIVATE)
    try:
        assert settings.INSTALLED_APPS
    except ImproperlyConfigured as fault:
        sys.exit(str(fault))


def stand_in() -> None:
    """Set placeholders for the settings that a command without a site needs: no database, no sessions, no audit log.

    Only without an .env and without these variables; nothing is ever signed or sealed with what is given here.
    """
    if not (ROOT / ".env").is_file() and "EVALSITE_MODE" not in os.environ:
        os.environ |= {"EVALSITE_MODE": "local", "SECRET_KEY": token_hex(32), "AUDIT_KEY": token_hex(32)}


def _require(is_right: object, sentence: str) -> None:
    if not is_right:
        raise ImproperlyConfigured(sentence)


def load_dotenv() -> None:
    """Read `.env` next to manage.py, if it exists; variables already set win."""
    path = ROOT / ".env"
    if path.is_file():
        environ.Env.read_env(str(path), overwrite=False)


def running_redis(var: Path) -> str:
    """The address of the Redis of the site that runs, or ran last, with this data folder; else Redis' usual address."""
    path = var / "redis.url"
    return path.read_text().strip() if path.is_file() else "redis://127.0.0.1:6379/0"


def text(name: str, default: str | None = None) -> str:
    """The variable as text; without a default it must be set and not blank."""
    value = _reader.str(name, default="").strip() or default
    if value is None:
        raise ImproperlyConfigured(
            f"{name} is not set. {WHY.get(name, 'Set it in the environment or in .env.')}"
        )
    return value


def beside(name: str, other: str) -> str:
    """The variable as text; it must be set when the other value is given, and is ignored without it."""
    return text(name) if other else text(name, "") and ""


def flag(name: str, *, default: bool) -> bool:
    value = text(name, "true" if default else "false").lower()
    _require(value in ("true", "false"), f'{name} is "{value}"; write true or false.')
    return value == "true"


def local_flag(name: str, *, is_local: bool) -> bool:
    """A truth value, false by default, that may only be true in local mode."""
    value = flag(name, default=False)
    says = f"{name} is true, which only EVALSITE_MODE=local allows. "
    says += f"Take {name} away, or let `make setup` write an .env."
    _require(is_local or not value, says)
    return value


def choice(name: str, options: tuple[str, ...], default: str) -> str:
    return _one_of(name, text(name, default), options)


def log_level(name: str, default: str) -> str:
    """The variable as a level of logs, in large letters or small."""
    return _one_of(name, text(name, default).upper(), ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))


def _one_of(name: str, value: str, options: tuple[str, ...]) -> str:
    _require(value in options, f'{name} is "{value}"; write one of: {", ".join(options)}.')
    return value


def time_zone(name: str, default: str) -> str:
    value = text(name, default)
    says = f'{name} is "{value}", which is no time zone; write one such as Europe/Vienna.'
    _require(value in available_timezones(), says)
    return value


def secret(name: str, *, at_least: int, default: str | None = None) -> str:
    """The variable as a secret of a minimum length, or the default."""
    value = text(name, default)
    says = f"{name} has {len(value)} characters; it needs at least {at_least}. {WHY.get(name, '')}".strip()
    _require(len(value) >= at_least or value == default, says)
    return value


def words(name: str, default: str = "") -> list[str]:
    """The variable as a list, separated by commas; commas alone are no list."""
    value = text(name, default)
    parts = [word.strip() for word in value.split(",") if word.strip()]
    _require(parts or not value, f'{name} is "{value}", a list of nothing; name something or leave it empty.')
    return parts


def headers(name: str) -> dict[str, str]:
    """The variable as headers of requests, as OpenTelemetry writes them: name=value, with %20 for a space."""
    pairs = [word.partition("=") for word in words(name)]
    is_right = all(re.fullmatch(r"[\w-]+", key) and value for key, _is, value in pairs)
    _require(is_right, f"{name} is not a list of headers. Write name=value, separated by commas.")
    return {key: unquote(value) for key, _is, value in pairs}


def hosts(name: str, default: str | None = None) -> list[str]:
    """The variable as a list of host names; "*" would let a forged Host header through and is refused."""
    text(name, default)  # which raises where it must be set
    names = words(name, default or "")
    for word in names:
        _require(HOST.fullmatch(word), f'{name} holds "{word}", which is no host name alone. {WHY[name]}')
    return names


def host(name: str) -> str:
    """The variable as the name or address of one server, "" when not set."""
    value = text(name, "")
    says = f'{name} is "{value}"; write the name of the server alone, such as mail.example.org.'
    _require(not value or HOST.fullmatch(value), says)
    return value


def origins(name: str) -> list[str]:
    """The variable as a list of origins: scheme and host, and a port where it is not the usual one."""
    addresses = words(name)
    for word in addresses:
        parts = _split(word)
        is_origin = parts and parts.scheme in ("http", "https") and word == f"{parts.scheme}://{parts.netloc}"
        says = f'{name} holds "{word}", which is no origin.'
        _require(is_origin, f"{says} Write scheme and host, such as https://evalsite.example.org.")
    return addresses


def broker(name: str, default: str | None = None) -> str:
    value = text(name, default)
    parts = _split(value) if not value.startswith("unix:///") else urlsplit(value)
    is_redis = parts is not None and parts.scheme in ("redis", "rediss", "unix")
    _require(is_redis, f"{name} is no address of a Redis. Write one such as redis://host:6379/0.")
    return value


def database(name: str, default: str | None = None) -> dict[str, Any]:
    """The variable as Django's settings for one database: a PostgreSQL, or a file of SQLite."""
    value = text(name, default)
    try:
        parts = urlsplit(value)
        _port = parts.port
    except ValueError:
        parts = urlsplit("")
    is_postgres = parts.scheme in POSTGRES and len(parts.path) > 1 and not parts.fragment
    says = (
        f"{name} is no address of a database. Write one such as postgres://user:password@host:5432/evalsite."
    )
    _require(is_postgres or re.match(r"sqlite:///.*[^/]\Z", value), says)
    return dict(environ.Env.db_url_config(value))


def bucket(name: str, *, is_local: bool) -> dict[str, str]:
    """The variable as options of a storage in an S3 bucket, its location "" or ending in "/"; {} when not set."""
    value = text(name, "")
    if not value:
        return {}
    parts = _split(value)
    given = dict(parse_qsl(parts.query, keep_blank_values=True)) if parts else {}
    is_bucket = (
        parts and parts.scheme == "s3" and re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", parts.netloc)
    )
    says = "Write one such as s3://bucket/folder?region=eu-central-1&endpoint=https://s3.example.org."
    _require(
        is_bucket and given.keys() <= {"region", "endpoint"}, f"{name} is no address of a bucket. {says}"
    )
    assert parts is not None
    _require(find_spec("storages") and find_spec("boto3"), f"{name} is set. {WHY[name]}")
    options = {"bucket_name": parts.netloc, "location": f"{parts.path.strip('/')}/".lstrip("/")}
    if "region" in given:
        options["region_name"] = given["region"]
    if "endpoint" in given:
        is_open = given["endpoint"].startswith("http://") and not is_local
        _require(not is_open, f"{name} has an endpoint that begins with http://. Write https://.")
        options |= {"endpoint_url": given["endpoint"], "addressing_style": "path"}
    return options


def _split(value: str) -> SplitResult | None:
    """An address in parts; None when it has no host, or an invalid port."""
    try:
        parts = urlsplit(value)
        return parts if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def share(name: str, default: str) -> float:
    """The variable as a weight from 0 to 1, in plain decimals."""
    value = text(name, default)
    is_share = re.fullmatch(r"(0?\.[0-9]+|0|1(\.0*)?|0\.)", value)
    _require(is_share, f'{name} is "{value}"; write a number from 0 to 1, such as {default}.')
    return float(value)


def endpoint(name: str, *, is_local: bool) -> str:
    """The variable as the address of an endpoint, "" when not set; in production https, except on this machine."""
    value = text(name, "")
    if not value:
        return ""
    parts = _split(value)
    is_plain = (
        parts and parts.scheme in ("http", "https") and not (parts.query or parts.fragment or "@" in value)
    )
    says = "Write scheme, host and path alone, such as https://api.example.org/v1."
    _require(is_plain, f"{name} is no address to call. {says}")
    is_open = parts and parts.scheme == "http" and not is_local and not is_loopback(parts.hostname or "")
    says = f"{name} begins with http://, which would send its key and all else in the open. Write https://."
    _require(not is_open, says)
    return value


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def models(name: str, *, url: str) -> list[str]:
    """The variable as a list of models; an endpoint needs at least one."""
    names = words(name)
    _require(names or not url, f"{name} is not set. {WHY[name]}")
    return names


def port(name: str, default: str) -> int:
    value = text(name, default)
    is_port = re.fullmatch(r"[0-9]{1,5}", value) and 1 <= int(value) <= 65535
    _require(is_port, f'{name} is "{value}"; write a number from 1 to 65535, such as {default}.')
    return int(value)


def sender(name: str, other: str) -> str:
    """The variable as the address that e-mails come from; must be set when the other value is given."""
    value = beside(name, other)
    is_address = len(value.splitlines()) == 1 and re.search(r"[^@\s<>]+@[^@\s<>]+", value)
    says = "Write one such as evalsite@example.org, or Evalsite <evalsite@example.org>."
    _require(is_address or not value, f"{name} is no address. {says}")
    return value


def mail_security(name: str, *, host: str, is_local: bool) -> str:
    """How the connection to the mail server is encrypted; "none" in production only on this machine."""
    value = choice(name, ("starttls", "tls", "none"), "starttls")
    is_open = host and value == "none" and not is_local and not is_loopback(host)
    says = f"{name} is none, which would send links that open accounts in the open. Write starttls or tls."
    _require(not is_open, says)
    return value


def whole(name: str, default: str, unit: str = "numbers", at_least: int = 1, at_most: int = 1_000_000) -> int:
    """The variable as a whole number of that unit."""
    value = text(name, default)
    is_whole = re.fullmatch(r"[0-9]{1,7}", value) and at_least <= int(value) <= at_most
    says = f'{name} is "{value}"; write whole {unit} from {at_least} to {at_most}, such as {default}.'
    _require(is_whole, says)
    return int(value)


def networks(name: str, default: str = "") -> list[IPv4Network | IPv6Network]:
    """The variable as a list of IP networks, separated by commas."""
    try:
        return [ip_network(word) for word in words(name, default)]
    except ValueError as fault:
        raise ImproperlyConfigured(
            f"{name} holds no network: {fault}. Write networks such as 10.1.0.0/16, separated by commas."
        ) from None


def prices(name: str) -> dict[str, Price]:
    """The variable as prices by model: "model=in/out" in US dollars per million tokens, separated by commas."""
    by_model = {}
    for word in words(name):
        match = re.fullmatch(r"(.+)=([0-9]{1,6}(?:\.[0-9]{1,6})?)/([0-9]{1,6}(?:\.[0-9]{1,6})?)", word)
        if match is None:
            raise ImproperlyConfigured(
                f'{name} holds "{word}"; write model=in/out, such as some-model=2.50/10.'
            )
        by_model[match[1].strip()] = Decimal(match[2]), Decimal(match[3])
    return by_model


def assert_weights(weights: dict[str, float]) -> dict[str, float]:
    """The weights of the response rubric's first version, when they sum to 1; those not set are the defaults."""
    problems = " ".join(problem.message for problem in weight_problems(weights))
    says = "Those that are not set count with their default."
    _require(not problems, f"LLM_COUNCIL_WEIGHT_* give no weights. {problems} {says}")
    return weights


WHY = {
    "SECRET_KEY": "It signs sessions; `make setup` writes one into .env, in production give 50 random characters.",
    "AUDIT_KEY": "It seals the audit log and must be kept outside the database; give 32 random characters or more.",
    "ALLOWED_HOSTS": "Name the hosts this site answers to, separated by commas, such as evalsite.example.org.",
    "METRICS_TOKEN": "Anybody who guesses it reads the site's metrics; give random characters, or leave it empty.",
    "DATABASE_URL": "In production name the database, such as postgres://user:password@host/evalsite.",
    "OIDC_NAME": "OIDC_ISSUER is set: say how people know it, for the button; such as the organisation's name.",
    "OIDC_CLIENT_ID": "OIDC_ISSUER is set: give the name under which it knows this site.",
    "OIDC_CLIENT_SECRET": "OIDC_ISSUER is set: give the secret that it gave this site.",
    "SITE_URL": "EMAIL_HOST is set: say where people find this site, for links; such as https://evalsite.example.org.",
    "EMAIL_FROM": "EMAIL_HOST is set: say from which address e-mails come, such as evalsite@example.org.",
    "REVIEW_MODELS": "Name the models that may be asked at REVIEW_MODELS_URL, separated by commas.",
    "STORAGE_URL": "Files in a bucket need two packages more: pip install -r requirements-s3.lock.",
    "REDIS_URL": "In production name the broker, such as redis://host:6379/0. `make run` starts one by itself.",
}
