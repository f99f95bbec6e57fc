"""Every setting of the site, once. What differs between places comes from the environment (see .env.example)."""

import sys
import tomllib
from pathlib import Path
from typing import Any

from evalsite import environment
from evalsite.logs import log_settings

environment.load_dotenv()

BASE_DIR = environment.ROOT
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
LOCAL = environment.choice("EVALSITE_MODE", ("production", "local"), "production") == "local"
DEMO = environment.local_flag("DEMO", is_local=LOCAL)
DEBUG = environment.local_flag("DEBUG", is_local=LOCAL)
VAR_DIR = Path(environment.text("VAR_DIR", str(BASE_DIR / "var")))
SECRET_KEY = environment.secret("SECRET_KEY", at_least=50)
AUDIT_KEY = environment.secret("AUDIT_KEY", at_least=32)
ALLOWED_HOSTS = environment.hosts("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]" if LOCAL else None)
CSRF_TRUSTED_ORIGINS = environment.origins("CSRF_TRUSTED_ORIGINS")
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "workspace",
    "rubric",
    "discussions",
]

# Headers go outermost, so that errors, redirects and files carry them; refusals innermost, nearest to the views.
# The limit of bodies stands before the token's check, which is the first to read one.
MIDDLEWARE = [
    "evalsite.middleware.SafetyHeaders",
    "evalsite.middleware.ClientAddress",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "evalsite.middleware.Gzip",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "evalsite.middleware.BodyLimits",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "evalsite.middleware.SignInLimits",
    "evalsite.middleware.AccessTokens",
    "evalsite.middleware.ViewersTime",
    "allauth.account.middleware.AccountMiddleware",
    "evalsite.middleware.SignInRequired",
    "evalsite.middleware.Refusals",
]
FORM_RENDERER = "workspace.web.forms.PlainChoices"
ROOT_URLCONF = "evalsite.urls"
WSGI_APPLICATION = "evalsite.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "environment": "evalsite.jinja2.environment",
            "context_processors": ["evalsite.jinja2.viewer"],
        },
    }
]
COMPILED_TEMPLATES = VAR_DIR / "cache" / "templates"

# Databases: SQLite is only safe for several writers as WAL with IMMEDIATE transactions and a busy timeout.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA cache_size=-20000;"
        "PRAGMA mmap_size=134217728;PRAGMA temp_store=MEMORY;PRAGMA foreign_keys=ON;"
    ),
}
# A server that does not answer must not block a thread for the usual two minutes: seconds to connect, and milliseconds
# that sent data may stay unacknowledged. A process that stops in the middle of a transaction must not keep its rows
# locked: the server ends a transaction that was idle for this long. DATABASE_URL may set other values.
POSTGRES_OPTIONS = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "options": "-c idle_in_transaction_session_timeout=30s",
}
DATABASES = {
    "default": environment.database(
        "DATABASE_URL", f"sqlite:///{VAR_DIR / 'evalsite.sqlite3'}" if LOCAL else None
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"] |= {
        "ENGINE": "workspace.database.sqlite",
        "OPTIONS": SQLITE_OPTIONS,
        "CONN_MAX_AGE": None,
    }
else:
    DATABASES["default"] |= {
        "ENGINE": "workspace.database.postgresql",
        "OPTIONS": POSTGRES_OPTIONS | DATABASES["default"].get("OPTIONS", {}),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
    # Behind a pooler of transactions, a role says the options, and cursors of the server end with their transaction.
    if environment.flag("DATABASE_POOLED", default=False):
        DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
        DATABASES["default"]["OPTIONS"].pop("options", None)
    # A job goes on with its worker's connection (`evalsite.celery`): a new one costs the server as much as 50 games.
    CELERY_DB_REUSE_MAX = sys.maxsize
# How long a page waits for the answer to one statement: longer than a stopped process may lock a row (above).
WEB_STATEMENT_SECONDS = 40
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Uploads are kept by their SHA-256 and never served. Only where files are taken may a body be larger than a form.
MEDIA_ROOT = VAR_DIR / "uploads"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
DATA_UPLOAD_MAX_NUMBER_FILES = 200
MOST_UPLOADED_AT_ONCE = 128 * 1024 * 1024
# A body's next bytes must come within so many seconds, and all of it, after these seconds, at so many bytes a second.
BODY_PAUSE = 20
BODY_RATE = 8 * 1024
# How many requests a web process works on at once; the others wait.
WEB_THREADS = 4
FILE_UPLOAD_TEMP_DIR = None
STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGE = environment.bucket("STORAGE_URL", is_local=LOCAL)
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "audit": {"BACKEND": "workspace.blob_store.AuditFolder"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
if STORAGE:
    for _alias, _folder in (("default", "uploads"), ("audit", "audit")):
        _place = STORAGE | {"location": f"{STORAGE['location']}{_folder}"}
        STORAGES[_alias] = {"BACKEND": "evalsite.bucket.Bucket", "OPTIONS": _place}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# Celery: a message only says "look at job N"; the rows are the truth.
REDIS_URL = environment.broker("REDIS_URL", environment.running_redis(VAR_DIR) if LOCAL else None)
CELERY_BROKER_URL = REDIS_URL
# A worker serves all queues in turn, or those of its -Q. Calls of models take minutes: nothing waits behind them.
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"measure": {}, "deliver": {}, "models": {}}
CELERY_TASK_DEFAULT_QUEUE = "measure"
CELERY_TASK_ROUTES = {
    "workspace.look_at_job.ask_models": {"queue": "models"},
    "workspace.look_at_job.ask_judge": {"queue": "models"},
    "workspace.look_at_job.send_emails": {"queue": "deliver"},
    "workspace.look_at_job.deliver": {"queue": "deliver"},
    "workspace.sweep": {"queue": "deliver"},
}
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 600
CELERY_TASK_SOFT_TIME_LIMIT = 540
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 2400,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": 1,
    "socket_timeout": 5,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.5,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# How much processor time measuring one game may take (seconds; well below the time limit of a task), and how much
# memory one process of a worker may use (MB). Work that needs more fails with a sentence instead of blocking the rest.
MEASURE_SECONDS = environment.whole("MEASURE_SECONDS", "240", "seconds", at_most=400)
WORKER_MEMORY_MB = environment.whole("WORKER_MEMORY_MB", "2048", "MB", at_least=512)
# How much space (MB) must be free where uploads and data are, for the site to report that it is ready.
DISK_FREE_MB = environment.whole("DISK_FREE_MB", "512", "MB", at_least=1)
# Prometheus reads /metrics with this token; without one there is no such page, and nothing is counted.
METRICS_TOKEN = environment.secret("METRICS_TOKEN", at_least=32, default="")
if METRICS_TOKEN:
    MIDDLEWARE.insert(0, "workspace.checks.metrics.CountRequests")
# How much a project may store (MB) until an admin sets another limit for it, and the functions that count what it
# stores, in bytes.
PROJECT_STORAGE_MB = environment.whole("PROJECT_STORAGE_MB", "10240", "MB", at_least=1)
STORED_BYTES = [
    "discussions.transcripts.queries.count_file_bytes",
    "rubric.comparisons.queries.count_characters",
]
# What counts as a saved judgement: a row of these tables for each.
SAVED_JUDGEMENTS = {"games": "discussions.Revision", "comparisons": "rubric.MarkRevision"}
# What is done for each kind of job: the action that a worker calls with the job it took.
JOB_ACTIONS = {
    "import": "discussions.imports.actions.reading.import_games",
    "import_part": "discussions.imports.actions.reading.help_import",
    "import_private": "discussions.imports.actions.reading.keep_private",
    "measure": "discussions.metrics.actions.measure_games",
    "companions": "discussions.metrics.actions.add_diagnostics",
    "figure_team": "discussions.reliability.actions.compute_team_figures",
    "figure_agents": "discussions.agents.actions.compute_agents",
    "preview_games": "discussions.preview.actions.preview_games",
    "preview_rankings": "rubric.preview.actions.preview_rankings",
    "figure_set": "rubric.reviewer_statistics.actions.compute_figures",
    "ask_models": "rubric.model_reviewers.actions.jobs.ask_models",
    "ask_judge": "discussions.judges.actions.prompts.ask_judge",
    "make_prompts": "discussions.judges.actions.prompts.make_prompts",
    "watch_judge": "discussions.judges.actions.runs.watch_judge",
    "read_answers": "rubric.model_reviewers.actions.answers.read_answers",
    "index": "discussions.search.actions.index_games",
    "erase": "discussions.archives.actions.erasures.run_erasure",
    "export": "discussions.exports.actions.build_project_export",
    "send_emails": "workspace.outbox.actions.send.send_due",
    "deliver": "workspace.outbox.actions.send.send_due",
}
# Every worker asks for the sweep; of several that ask at about the same moment one does it.
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "workspace.sweep", "schedule": 10.0, "options": {"expires": 600}},
}
# Work that is due by time alone: each sweep calls these actions, with the current time of the database's clock.
SWEEP_ACTIONS = [
    "discussions.slots.actions.expire_leases",
    "discussions.queue.actions.release_slots_of_departed",
    "discussions.search.actions.ask_to_index",
    "workspace.jobs.actions.forget_jobs",
    "workspace.tokens.actions.forget_answers",
    "workspace.exports.actions.remove_expired_files",
    "workspace.outbox.actions.digests.write_due_emails",
    "workspace.outbox.actions.send.enqueue_due",
    "workspace.outbox.actions.send.forget_old",
    "workspace.outbox.actions.send.forget_webhooks",
]
# How long the file of an export is kept for whoever made it (hours).
EXPORT_HOURS = 24
# Weights of the first version of the response rubric, which `migrate` publishes; later versions are made on the site.
RESPONSE_WEIGHTS = environment.assert_weights(
    {
        "accuracy": environment.share("LLM_COUNCIL_WEIGHT_ACCURACY", "0.35"),
        "completeness": environment.share("LLM_COUNCIL_WEIGHT_COMPLETENESS", "0.25"),
        "conciseness": environment.share("LLM_COUNCIL_WEIGHT_CONCISENESS", "0.20"),
        "clarity": environment.share("LLM_COUNCIL_WEIGHT_CLARITY", "0.20"),
    },
)
# How new comparison sets are scored until an admin chooses on the site: by criterion, too, or as a whole alone.
DEFAULT_RUBRIC_SCORING = environment.flag("DEFAULT_RUBRIC_SCORING", default=False)
# Models that review are called at one endpoint that speaks OpenAI's protocol; without an address none is ever called.
# Address, key and models come only from here. A call may take twice the timeout: to its first byte, then to its last.
REVIEW_MODELS_URL = environment.endpoint("REVIEW_MODELS_URL", is_local=LOCAL)
REVIEW_MODELS_KEY = environment.text("REVIEW_MODELS_KEY", "")
REVIEW_MODELS = environment.models("REVIEW_MODELS", url=REVIEW_MODELS_URL)
REVIEW_TIMEOUT = environment.whole("REVIEW_TIMEOUT", "60", "seconds", at_most=100)
REVIEW_PRICES = environment.prices("REVIEW_PRICES")
# Webhooks go to addresses that leads type: to public ones by https alone, unless the installation allows more. The
# demo, which runs on somebody's own machine alone, may call programs on that machine.
WEBHOOK_HTTP = environment.flag("WEBHOOK_HTTP", default=DEMO)
WEBHOOK_NETWORKS = environment.networks("WEBHOOK_NETWORKS", "127.0.0.0/8, ::1/128" if DEMO else "")
# Where scores go as OpenTelemetry log events, if a webhook has this address: OTLP/HTTP in JSON, with these headers.
OTLP_LOGS_URL = environment.endpoint("OTLP_LOGS_URL", is_local=LOCAL)
OTLP_HEADERS = environment.headers("OTLP_HEADERS")
# E-mail goes through one mail server; without a host nothing is ever sent, and pages do not offer it. Links in e-mails
# are made from SITE_URL, since the host that a request names can be forged.
EMAIL_HOST = environment.host("EMAIL_HOST")
EMAIL_PORT = environment.port("EMAIL_PORT", "587")
EMAIL_SECURITY = environment.mail_security("EMAIL_SECURITY", host=EMAIL_HOST, is_local=LOCAL)
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_SECURITY == "starttls", EMAIL_SECURITY == "tls"
EMAIL_HOST_USER = environment.text("EMAIL_USER", "")
EMAIL_HOST_PASSWORD = environment.text("EMAIL_PASSWORD", "")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = environment.sender("EMAIL_FROM", EMAIL_HOST)
SITE_URL = environment.endpoint("SITE_URL", is_local=LOCAL)
environment.beside("SITE_URL", EMAIL_HOST)
# What else an audit line causes: actions that are called with the line, in its transaction.
EVENT_ACTIONS: dict[str, list[str]] = {
    "game:assigned": ["discussions.events.actions.tell_assigned"],
    "game:ties_sent": ["discussions.events.actions.tell_ties"],
    "game:tie_answered": [
        "discussions.events.actions.close_ties",
        "discussions.events.actions.tell_still_tied",
    ],
    "game:unassigned": ["discussions.events.actions.forget_assigned"],
    "game:withdrawn": [
        "discussions.events.actions.forget_game",
        "discussions.events.actions.announce_ready",
    ],
    "evaluation:returned": ["discussions.events.actions.tell_returned"],
    "evaluation:reopened": ["discussions.events.actions.forget_tie"],
    "evaluation:skipped": ["discussions.events.actions.close_evaluation"],
    "evaluation:submitted": [
        "discussions.events.actions.close_evaluation",
        "discussions.events.actions.tell_tie",
        "discussions.judges.actions.runs.ask_to_watch",
    ],
    "difference:settled": ["discussions.events.actions.close_tie"],
    "judge:suspended": ["discussions.judges.actions.runs.tell_suspended"],
    "judge:resumed": ["discussions.judges.actions.runs.close_suspended"],
    "judge:ended": ["discussions.judges.actions.runs.close_suspended"],
    "remark:made": ["discussions.events.actions.tell_flagged"],
    "remark:answered": ["discussions.events.actions.tell_answered"],
    "remark:resolved": ["discussions.events.actions.close_flag"],
    "transcript:faults_seen": ["discussions.events.actions.close_import"],
    "transcript:resumed": ["discussions.events.actions.close_import"],
    "job:retried": ["workspace.outbox.actions.queue.close_failed_job"],
    "transcript:imported": [
        "discussions.events.actions.tell_import_faults",
        "discussions.events.actions.announce_import",
    ],
    "verdict:recorded": ["discussions.events.actions.announce_ready"],
    "stage:closed": ["discussions.events.actions.announce_gate"],
    "comparison_set:reviewer_added": ["rubric.events.actions.tell_reviewer"],
    "comparison_set:reviewer_ended": ["rubric.events.actions.forget_reviewer"],
    "comparison_set:closed": [
        "rubric.events.actions.forget_set",
        "rubric.events.actions.announce_closed",
    ],
    "review:handed_in": [
        "rubric.events.actions.close_reviews",
        "rubric.events.actions.tell_second_round",
    ],
}
# Whose things audit lines are about: their names, and where their pages are.
AUDIT_KINDS = [
    "workspace.audit.queries.KINDS",
    "rubric.events.queries.KINDS",
    "discussions.events.queries.KINDS",
]
# What is called, in the same transaction, with a job that failed for good.
FAILED_JOB_ACTIONS = [
    "workspace.outbox.actions.queue.tell_failed_job",
    "discussions.imports.actions.reading.measure_imported_games",
]
# How large a project archive may be that is imported.
ARCHIVE_LIMITS = {
    "unpacked_bytes": 64 * 1024 * 1024 * 1024,
    "members": 200_000,
    "line_bytes": 64 * 1024 * 1024,
    "upload_bytes": 64 * 1024 * 1024,
}
# Limits of what is imported; the sentence of a fault names the one it is about.
TRANSCRIPT_LIMITS = {
    "file_bytes": 64 * 1024 * 1024,
    "unpacked_bytes": 256 * 1024 * 1024,
    "archive_files": 10_000,
    "messages": 20_000,
    "message_characters": 100_000,
    "players": 200,
    "name_characters": 200,
}

# People. Sign-in by e-mail and password; its limits count in the database, so all processes share them.
AUTH_USER_MODEL = "workspace.Person"
AUTHENTICATION_BACKENDS = ["workspace.authentication.adapter.PersonBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "workspace.authentication.adapter.SignInRules"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {
    "login": "20/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    # Whether there is such an account or not; each e-mail goes to somebody who may not have asked for it.
    "reset_password": "10/m/ip,3/5m/key,10/d/key",
    "reset_password_from_key": "20/m/ip",
}
# Failures of an account from all computers together on which it never signed in. Allauth's key above is the account
# with the address, or with the computer on which it signed in.
ACCOUNT_FAILURES = "30/h/key"
DEVICE_COOKIE_NAME = "device" if LOCAL else "__Host-device"
DEVICE_COOKIE_AGE = 180 * 24 * 3600
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "workspace.people.queries.PasswordLinks"
PASSWORD_RESET_TIMEOUT = 24 * 3600
CACHES = {"default": {"BACKEND": "workspace.models.counters.RowCache", "KEY_PREFIX": "evalsite"}}
VALIDATION = "django.contrib.auth.password_validation."
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": f"{VALIDATION}UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("name", "email")},
    },
    {"NAME": f"{VALIDATION}MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{VALIDATION}CommonPasswordValidator"},
    {"NAME": f"{VALIDATION}NumericPasswordValidator"},
]
# Second factors: an app's code or a recovery code. Leads and admins must have one, except on a laptop.
MFA_ADAPTER = "workspace.authentication.queries.FactorRules"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
REQUIRE_TOTP = environment.flag("REQUIRE_TOTP", default=not LOCAL)
SECOND_STEP_LIMIT = "5/5m/key,30/d/key"
# How many requests an access token may make in a minute.
API_RATE_LIMIT = 600
# How many requests without a valid access token an address may make in a minute.
API_ADDRESS_LIMIT = 60
# Limits of expensive operations for one person, all their programs together: how much, in how many seconds. The names
# are those of workspace/web/rate_limits.py; uploads are in MB.
COSTLY_LIMITS = {
    "exports": (environment.whole("EXPORTS_PER_HOUR", "120"), 3600),
    "uploads": (environment.whole("UPLOAD_MB_PER_HOUR", "8192"), 3600),
    "computations": (environment.whole("COMPUTATIONS_PER_HOUR", "300"), 3600),
    "searches": (environment.whole("SEARCHES_PER_MINUTE", "600"), 60),
}
# A sign-in ends after 8 hours without use and after 7 days in any case (seconds).
SIGN_IN_IDLE = 8 * 3600
SIGN_IN_ABSOLUTE = 7 * 24 * 3600
SESSION_COOKIE_AGE = SIGN_IN_ABSOLUTE
SESSION_ENGINE = "workspace.models.sign_ins"
SESSION_SAVE_EVERY_REQUEST = False

# Signing in at the organisation's own issuer by OpenID Connect, if one is configured; otherwise nothing of it is
# loaded.
OIDC_ISSUER = environment.endpoint("OIDC_ISSUER", is_local=LOCAL)
OIDC_NAME = environment.beside("OIDC_NAME", OIDC_ISSUER)
OIDC_CLIENT_ID = environment.beside("OIDC_CLIENT_ID", OIDC_ISSUER)
OIDC_CLIENT_SECRET = environment.beside("OIDC_CLIENT_SECRET", OIDC_ISSUER)
if OIDC_ISSUER:
    INSTALLED_APPS += ["allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"]
    SOCIALACCOUNT_ADAPTER = "workspace.authentication.oidc.OutsideRules"
    SOCIALACCOUNT_LOGIN_ON_GET = True
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "oidc",
                    "name": OIDC_NAME,
                    "client_id": OIDC_CLIENT_ID,
                    "secret": OIDC_CLIENT_SECRET,
                    "settings": {"server_url": OIDC_ISSUER},
                }
            ],
        }
    }

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
# Every text goes through gettext. With one language nothing is looked up; a second one also wants LocaleMiddleware.
USE_I18N = len(LANGUAGES) > 1
USE_TZ = True
TIME_ZONE = environment.time_zone("TIME_ZONE", "UTC")

# Letting nobody in.
CSRF_FAILURE_VIEW = "workspace.web.errors.csrf_failed"
SESSION_COOKIE_NAME = "sessionid" if LOCAL else "__Host-sessionid"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = not LOCAL
CSRF_COOKIE_NAME = "csrftoken" if LOCAL else "__Host-csrftoken"
CSRF_COOKIE_SECURE = not LOCAL
# Only proxies of ours may say from which address and by which scheme a request came.
BEHIND_PROXY = environment.flag("BEHIND_PROXY", default=False)
TRUSTED_PROXIES = environment.networks("TRUSTED_PROXIES", "127.0.0.0/8,::1/128")
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = not LOCAL
# A program whose address begins with http:// is told so and not redirected: it would send its token unencrypted each
# time.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$", r"^api/v1/"]
SECURE_HSTS_SECONDS = 0 if LOCAL else 31536000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not LOCAL
SECURE_HSTS_PRELOAD = not LOCAL
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
    }
}

# Logs: JSON lines in production, plain ones here; never the text of a transcript, a password or a secret.
LOGGING = log_settings(as_json=not LOCAL, level=environment.log_level("LOG_LEVEL", "INFO"))
