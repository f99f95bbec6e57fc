"""An OpenID Connect server for tests: real HTTP on this machine, real signatures, and switches for what goes wrong."""

import base64
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


CLIENT, SECRET = "evalsite", "only-for-tests"


class OutsideServer:
    """The other place. `claims` go into its token, `userinfo` is its answer about the person; the rest spoils."""

    def __init__(self) -> None:
        self.signs_with, self.algorithm, self.header = KEY, "RS256", {"kid": "one"}
        self.claims: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.description: dict[str, Any] = {}
        self.grants: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                self.answer(outer.get(self.path))

            def do_POST(self) -> None:
                outer.asked.append(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(outer.exchange(dict(parse_qsl(body))))

            def answer(self, given: dict[str, Any] | None) -> None:
                self.send_response(200 if given is not None else 400)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(given or {"error": "invalid_grant"}).encode())

            def log_message(self, *_given: object) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """End it."""
        self.server.shutdown()
        self.server.server_close()

    def get(self, path: str) -> dict[str, Any] | None:
        """The description, the keys, or what is known of the person."""
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            } | self.description
        if path == "/keys":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            return {"keys": [public | {"kid": "one", "use": "sig", "alg": "RS256"}]}
        return self.userinfo if path == "/userinfo" else None

    def consent(self, address: str) -> dict[str, str]:
        """What a person's consent to the request at `address` sends back: code and state."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        assert set(asked["scope"].split()) == {"openid", "email", "profile"}
        code = f"code-{len(self.grants)}"
        self.grants[code] = asked
        return {"code": code, "state": asked["state"]}

    def exchange(self, given: dict[str, str]) -> dict[str, Any] | None:
        """A token for a code, once, for who knows the secret and the verifier."""
        asked = self.grants.pop(given.get("code", ""), None)
        if asked is None or given.get("client_secret") != SECRET:
            return None
        digest = hashlib.sha256(given["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != asked["code_challenge"]:
            return None
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "sub": "17", "iat": now, "exp": now + 60}
        claims |= {"nonce": asked["nonce"]} | self.claims
        token = jwt.encode(claims, self.signs_with, algorithm=self.algorithm, headers=self.header)
        return {"access_token": "opens userinfo", "token_type": "Bearer", "id_token": token}
