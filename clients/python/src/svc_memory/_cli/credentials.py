"""Reads which service the command line calls, and with which key.

They are `SVC_URL` and `SVC_KEY`, or the same two names as lines of `~/.config/svc/credentials`, which the command line
of the service reads, too.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from .errors import CommandError

_DEFAULT_URL = "http://127.0.0.1:8787"
_NAMES = ("SVC_URL", "SVC_KEY")
_BYTES_MAX = 65_536


class Credentials(NamedTuple):
    """The address of the service, and the key of a workspace."""

    url: str
    key: str


def credentials_path() -> Path:
    """Return the path of the file."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(folder) if os.path.isabs(folder) else Path.home() / ".config") / "svc" / "credentials"


def read_credentials() -> Credentials:
    """Read the address and the key, from the environment or else the file.

    The file's key is sent only to the file's own address: whoever sets `SVC_URL` alone, as the settings of somebody
    else's folder can, does not get the key.

    Raises:
        CommandError: `no_access` when there is no key or others can read the file; `bad_input` when the address is not
            a URL.
    """
    url, key = (os.environ.get(name) or None for name in _NAMES)
    if key is not None:
        return Credentials(_web_address(url or _read_file().get("SVC_URL") or _DEFAULT_URL), key)
    file = _read_file()
    if "SVC_KEY" not in file:
        raise CommandError(
            "no_access", f"Cannot ask the service: no key. Set SVC_KEY, or write it to {credentials_path()}"
        )
    own = file.get("SVC_URL", _DEFAULT_URL)
    if url is not None and _origin_of(url) != _origin_of(own):
        raise CommandError(
            "no_access",
            f"Cannot ask the service at SVC_URL: the key in {credentials_path()} is for {own}. Set SVC_KEY too",
        )
    return Credentials(_web_address(url or own), file["SVC_KEY"])


def _web_address(address: str) -> str:
    if urlsplit(address).scheme in ("http", "https"):
        return address
    raise CommandError("bad_input", "Cannot ask the service: SVC_URL is not an http: or https: URL")


def _origin_of(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _read_file() -> dict[str, str]:
    path = credentials_path()
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _BYTES_MAX:
            raise _refused(path, "is not a small file")
        if os.name != "nt" and found.st_mode & 0o077:
            raise _refused(path, f"can be read or changed by others. Run: chmod 600 {path}")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(path, "cannot be read") from error
    return _parse(path, text)


def _parse(path: Path, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        left, sign, value = line.partition("=")
        name = re.sub(r"^export ", "", left).strip()
        if not sign or name not in _NAMES:
            raise _refused(path, f"has a line {number} that is neither SVC_URL=… nor SVC_KEY=…")
        value = value.strip()
        if len(value) >= 2 and value[0] in "\"'" and value[-1] == value[0]:
            value = value[1:-1]
        if value:
            found[name] = value
    return found


def _refused(path: Path, why: str) -> CommandError:
    return CommandError("no_access", f"Cannot use the credentials: {path} {why}")
