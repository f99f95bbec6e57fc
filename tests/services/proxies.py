"""The shipped settings of nginx and Caddy before a running site, with ports and a certificate of the test."""

import http.client
import os
import re
import shutil
import socket
import ssl
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.utils import timezone

from tools.launch import ROOT, Site
from tools.processes import PATIENCE, Child, wait_until
from tools.redis_server import free_port

HOST = "evalsite.example.org"
TRUST_ALL = ssl._create_unverified_context()
FORM = "application/x-www-form-urlencoded"


class Proxied(NamedTuple):
    """A proxy, by name, at a port, and the web server behind it."""

    name: str
    port: int
    proxy: Child
    web: Child


@pytest.fixture(params=["nginx", pytest.param("caddy", marks=pytest.mark.long)])
def proxied(request, live_stack, tmp_path):
    """A proxy, set up as `deploy/` says, before the site of the stack.

    A module that names SETTINGS has the site run with those.
    """
    path = f"{os.environ['PATH']}:/usr/sbin"
    binary = shutil.which(request.param, path=path)
    if binary is None:
        pytest.skip(f"{request.param} is not installed, so its file in deploy/ is not tried")
    site = Site(
        live_stack.env
        | {
            "PORT": str(free_port()),
            "BEHIND_PROXY": "true",
            "TRUSTED_PROXIES": "127.0.0.1/32",
            "ALLOWED_HOSTS": HOST,
        }
    )
    site.env["DJANGO_SETTINGS_MODULE"] = getattr(request.module, "SETTINGS", "tests.site_settings")
    web, port = site.web(), free_port()
    web.log = tmp_path / "web.log"
    command = {"nginx": nginx, "caddy": caddy}[request.param](binary, tmp_path, site.port, port)
    proxy = Child(
        request.param, command, dict(os.environ) | {"XDG_DATA_HOME": str(tmp_path)}, tmp_path / "said", ROOT
    )
    try:
        web.start()
        assert wait_until(site.answers), web.last_lines(40)
        proxy.start()
        assert wait_until(lambda: greets(port) or not proxy.is_running())
        assert proxy.is_running(), proxy.last_lines(40)
        yield Proxied(request.param, port, proxy, web)
    finally:
        proxy.kill()
        web.kill()


def nginx(binary: str, folder: Path, site: int, port: int) -> list[str]:
    """The command that runs nginx on the shipped file with ports and a certificate of the test."""
    key, certificate = write_certificate(folder)
    shipped = (ROOT / "deploy" / "nginx.conf").read_text()
    ours = re.sub(r"listen (\[::\]:)?(80|443[^;]*);", "", shipped)
    ours = ours.replace("return 301", f"listen 127.0.0.1:{free_port()}; return 301")
    ours = ours.replace("ssl_certificate ", f"listen 127.0.0.1:{port} ssl http2;\nssl_certificate ")
    ours = re.sub(r"/etc/\S+/fullchain.pem", str(certificate), ours)
    ours = re.sub(r"/etc/\S+/privkey.pem", str(key), ours)
    ours = ours.replace("127.0.0.1:8000", f"127.0.0.1:{site}")
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    around = f"user {user_of(folder)};\n" if os.getuid() == 0 else ""
    around += f"daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{places}{ours}\n}}\n"
    (folder / "nginx.conf").write_text(around)
    return [binary, "-c", str(folder / "nginx.conf"), "-e", "stderr"]


def user_of(folder: Path) -> str:
    """Who owns the folder: nginx's workers write there."""
    return folder.owner()


def caddy(binary: str, folder: Path, site: int, port: int) -> list[str]:
    """The command that runs Caddy on the shipped file with a port and a certificate of the test."""
    ours = (ROOT / "deploy" / "Caddyfile").read_text()
    ours = ours.replace(
        "{\n\tservers", "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tservers", 1
    )
    ours = ours.replace(
        f"{{$SITE:{HOST}}} {{", f"https://{HOST}:{port} {{\n\tbind 127.0.0.1\n\ttls internal", 1
    )
    ours = ours.replace("127.0.0.1:8000", f"127.0.0.1:{site}")
    (folder / "Caddyfile").write_text(ours)
    return [binary, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """A key and a certificate that it signed itself."""
    key, now = ec.generate_private_key(ec.SECP256R1()), timezone.now()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    (folder / "certificate.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(pem))
    return folder / "key.pem", folder / "certificate.pem"


def greets(port: int) -> bool:
    """Whether somebody takes connections at the port and shows a certificate; Caddy makes its own a moment later."""
    try:
        connect(port).close()
    except OSError:
        return False
    return True


def connect(port: int, address: str = "127.0.0.1") -> ssl.SSLSocket:
    """A connection to the proxy, from an address of this machine."""
    raw = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(address, 0))
    return TRUST_ALL.wrap_socket(raw, server_hostname=HOST)


class Asking(http.client.HTTPConnection):
    """One request over a connection to the proxy."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        super().__init__(HOST)
        self.sock = connect(port, address)

    def ask(self, verb: str, path: str, body: str | bytes | None = None, **headers: str) -> tuple[int, str]:
        """Status and text of the answer; its headers are `self.headers` then.

        Who is refused early may not get rid of the whole body, and reads the answer all the same.
        """
        with suppress(OSError):
            self.request(verb, path, body, headers)
        answer = self.getresponse()
        self.headers = answer.headers
        text = answer.read().decode()
        self.close()
        return answer.status, text
