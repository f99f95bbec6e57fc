# One image for the web server, the worker and the preparation: compose.yaml says which. amd64 and arm64.
FROM python:3.11-slim-bookworm AS installed
WORKDIR /srv/evalsite
COPY tools/setup.py tools/uv.lock tools/pip-26.3-py3-none-any.whl tools/
COPY requirements.lock requirements-s3.lock ./
RUN python3 tools/setup.py && rm .env
# EXTRA=s3 adds what files in an S3 bucket need.
ARG EXTRA=""
RUN [ -z "$EXTRA" ] || .venv/bin/python -m pip install --no-cache-dir --require-hashes -r "requirements-$EXTRA.lock"

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /var/lib/evalsite --create-home evalsite
WORKDIR /srv/evalsite
COPY --from=installed /srv/evalsite/.venv .venv
COPY manage.py pyproject.toml LICENSE ./
COPY discussions discussions
COPY docs docs
COPY evalsite evalsite
COPY rubric rubric
COPY static static
COPY templates templates
COPY tools tools
COPY workspace workspace
RUN .venv/bin/python -m compileall -q discussions evalsite rubric tools workspace
ENV PATH=/srv/evalsite/.venv/bin:$PATH VAR_DIR=/var/lib/evalsite DJANGO_SETTINGS_MODULE=evalsite.settings PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER evalsite
VOLUME /var/lib/evalsite
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["python", "-m", "tools.container", "healthy"]
ENTRYPOINT ["python", "-m", "tools.container"]
CMD ["python", "-m", "evalsite.server", "--host", "0.0.0.0"]
