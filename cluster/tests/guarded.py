"""A door with a certificate and a password before the cluster, as operators put one there.

OpenSearch's own security plugin is not among what the tests fetch; the client cannot tell the
difference: it shakes hands, trusts or refuses the certificate, and sends what it was given.
"""

from __future__ import annotations

import base64
import http.server
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD, API_KEY = "trivium", "an open secret", "a2V5OnNlY3JldA=="
_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Door:
    """Where the guarded cluster answers, and the certificate that it shows."""

    url: str
    certificate: Path


@contextmanager
def guarded(inner: str, folder: Path) -> Iterator[Door]:
    """Give a guarded way to the node at `inner`."""
    certificate, key = _signed(folder)
    allowed = {
        "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode(),
        f"ApiKey {API_KEY}",
    }

    class Guard(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            body = self.rfile.read(length) if length else None
            if self.headers.get("Authorization") not in allowed:
                self._say(401, b'{"error":"Unauthorized","status":401}')
                return
            kept = ("content-type", "accept", "content-encoding")
            headers = {name: value for name, value in self.headers.items() if name.lower() in kept}
            asked = urllib.request.Request(
                inner + self.path, data=body, method=self.command, headers=headers
            )
            try:
                with urllib.request.urlopen(asked) as answer:
                    self._say(answer.status, answer.read())
            except urllib.error.HTTPError as refused:
                self._say(refused.code, refused.read())

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _pass_on  # noqa: N815 - their names

        def _say(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer((_HOST, 0), Guard)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Door(f"https://{_HOST}:{server.server_address[1]}", certificate)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _signed(folder: Path) -> tuple[Path, Path]:
    """Make a certificate that only whoever is told of it trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "cluster of the tests")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(_HOST))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "cluster.pem", folder / "cluster.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return certificate, secret
