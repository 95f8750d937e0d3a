"""Removes what looks like a key, a password or a token from conversations, as the command line of the service does."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARK = "[redacted]"
_PIECE_MAX = 8_192
"""The most characters that patterns read at once."""
_NAME_MAX = 80
_SPACES_MAX = 4

_KEYS = re.compile(
    r"\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{20,255}"
    r"|xox[abeprs]-[\w-]{10,255}|AIza[\w-]{35}|npm_[A-Za-z0-9]{30,255}|hf_[A-Za-z0-9]{30,255}"
    r"|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,255}|SG\.[\w-]{16,64}\.[\w-]{16,128})",
    re.ASCII,
)
_SUSPECT = re.compile(
    r"svc_live_|mk_admin_|-----BEGIN|:\/\/|eyJ|\bsk-|bearer|basic|passw|pwd|secret|token|apikey|api_key|api-key"
    r"|authorization|signature|[?&;][\w-]{0,40}=",
    re.ASCII | re.IGNORECASE,
)
"""Words that make a text worth the full set of patterns."""
_SHAPES: list[tuple[re.Pattern[str], str]] = [
    (
        re.compile(r"-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|\Z)", re.ASCII),
        "[redacted pem]",
    ),
    (re.compile(r"svc_live_[\w.~+/=-]+", re.ASCII | re.IGNORECASE), f"svc_live_{_MARK}"),
    (re.compile(r"mk_admin_[\w.~+/=-]+", re.ASCII | re.IGNORECASE), f"mk_admin_{_MARK}"),
    (re.compile(r"eyJ[\w-]{5,1024}\.[\w-]{2,}(?:\.[\w-]*){0,3}", re.ASCII), "[redacted jwt]"),
    (re.compile(r"\bsk-[\w-]{16,}", re.ASCII), _MARK),
    (re.compile(r"\b(bearer|basic)(\s+|%20)[\w.~+/=-]{8,}", re.ASCII | re.IGNORECASE), rf"\1 {_MARK}"),
    (
        re.compile(r"\b(?!file:|npm:)([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s\"'<>]{0,1024}@", re.ASCII | re.IGNORECASE),
        rf"\1{_MARK}@",
    ),
    (
        re.compile(
            r"\b((?:postgres(?:ql)?|rediss?):\/\/)[^\s\"'<>/@]{1,1024}:[^\s\"'<>/@]{1,1024}\Z",
            re.ASCII | re.IGNORECASE,
        ),
        rf"\1{_MARK}",
    ),
    (
        re.compile(
            r"([?&;#][\w.-]{0,40}(?:token|key|secret|passw|signature|sig|auth|code|otp)[\w.-]{0,40}=)[^&;\s\"'<>]+",
            re.ASCII | re.IGNORECASE,
        ),
        rf"\1{_MARK}",
    ),
    (
        re.compile(
            r"\b((?:[\w-]{0,40}[_-])?(?:password|passwd|pwd|secret|api[_-]?key|authorization|access[_-]?token"
            r"|auth[_-]?token|pgpassword)[\"']?\s{0,4}[=:]\s{0,4}[\"']?)[^\s\"',;&}]+",
            re.ASCII | re.IGNORECASE,
        ),
        rf"\1{_MARK}",
    ),
]
_SECRET_NAME = re.compile(
    r"(?:password|passwd|secret|token|apikey|accesskey|secretkey|privatekey|symmetrickey|signingkey|authorization|cookie"
    r"|totp|otp|pem|credentials?|xsvcclientcert)\Z"
)
_SIGN = re.compile("[=:]")
_VALUE = re.compile(r"[ \t]{0,4}\\?(?:\"([^\"\\\n]{8,})|'([^'\\\n]{8,})|([^\s\"'\\,;&{}]{8,}))")


def replace_between(text: str, opens: str, closes: str, by: str) -> str:
    """Replace each part from `opens` to the next `closes`, or to the end if none follows."""
    left: list[str] = []
    at = 0
    while (start := text.find(opens, at)) >= 0:
        end = text.find(closes, start + len(opens))
        left += [text[at:start], by]
        if end < 0:
            return "".join(left)
        at = end + len(closes)
    return "".join([*left, text[at:]])


def without_secrets(text: str) -> str:
    """Return a text without parts that look like secrets."""
    # The only secret of several lines is removed first, so that the rest can be checked in pieces.
    rest = _without_values(replace_between(text, "-----BEGIN ", "\n-----END ", "[redacted pem]"))
    return _KEYS.sub(_MARK, "".join(_redact(piece) for piece in _pieces(rest)))


def _redact(text: str) -> str:
    if not _SUSPECT.search(text):
        return text
    for shape, by in _SHAPES:
        text = shape.sub(by, text)
    return text


def _without_values(text: str) -> str:
    """Hide the values after names of secrets, written as `NAME=value`, `name: value` or `"name": "value"`."""
    shown: list[str] = []
    start = 0
    for sign in _SIGN.finditer(text):
        if sign.start() < start or not _is_secret_name(_name_before(text, sign.start())):
            continue
        found = _VALUE.match(text, sign.end())
        value = found and (found[1] or found[2] or found[3])
        # "The token: something" is a sentence, not a secret.
        if not found or not value or (found[3] and sign[0] == ":" and not re.search("[0-9]", value)):
            continue
        shown += [text[start : found.end() - len(value)], _MARK]
        start = found.end()
    return "".join([*shown, text[start:]])


def _is_secret_name(name: str) -> bool:
    return bool(_SECRET_NAME.search(re.sub(r"[-_.\s]", "", name.lower())))


def _name_before(text: str, at: int) -> str:
    """Return the word before a sign, without a closing quote."""
    end = at
    while end > 0 and at - end < _SPACES_MAX and text[end - 1] in " \t":
        end -= 1
    if end > 0 and text[end - 1] in "\"'":
        end -= 1
    if end > 0 and text[end - 1] == "\\":
        end -= 1
    start = end
    while start > 0 and end - start < _NAME_MAX and re.match(r"[\w.-]", text[start - 1], re.ASCII):
        start -= 1
    return text[start:end]


def _pieces(text: str) -> Iterator[str]:
    """Yield pieces that end with a line, or at least with a word."""
    at = 0
    while at < len(text):
        end = min(at + _PIECE_MAX, len(text))
        if end < len(text):
            window = text[at:end]
            lasts = (window.rfind("\n"), window.rfind(" "))
            last = next((place for place in lasts if place > _PIECE_MAX / 2), None)
            end = end if last is None else at + last + 1
        yield text[at:end]
        at = end
