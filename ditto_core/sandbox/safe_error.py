"""What an outsider's error may look like before it is shown or given to a model."""

from __future__ import annotations

import re

from ditto_core.sandbox.text import is_clean_line

MAX_CODE = 64
MAX_MESSAGE = 512

# Text, not compiled patterns: `re` compiles them with the first error, and keeps them.
_CODE = rf"[A-Za-z0-9_.-]{{1,{MAX_CODE}}}"
_URL = r"(?i)\bhttps?://[^\s'\"<>]+"
# Words that announce a credential, the prefixes of well-known keys, passwords in URLs, and long mixed tokens.
_CREDENTIAL = r"""(?ix)
      (?:\b|_)(?:api[_-]?key|access[_-]?key|secret|passw(?:or)?d|passphrase|pwd|token|credentials?)["']?\s*[=:]\s*\S
    | \b(?:authorization|cookie|x-api-key)["']?\s*[=:]
    | \b(?:bearer|basic)\s+[a-z0-9._~+/=-]{8,}
    | \b[a-z][a-z0-9+.-]*://[^\s/@]*@
    | \b(?:sk|pk|rk)[-_][a-z0-9_-]{8,}
    | \b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|hf_|AKIA|ASIA|AIza|ya29\.)[a-z0-9_-]{8,}
    | \beyJ[a-z0-9_-]{8,}\.
    | -----BEGIN
    | (?<![a-z0-9])(?=[a-z0-9+_]*[0-9])(?=[a-z0-9+_]*[a-z])[a-z0-9+_]{32,}
    """
# A slash that begins a path: not after a word (`text/html`), not after a dot that begins a relative path (`./a`).
_ABSOLUTE_PATH = r"(?i)(?<![\w.])/+[\w.~$%@-]|(?<=\w\.)/\w|(?<!\w)~[\w-]*/|\b[A-Za-z]:[\\/]|\\\\\w|\bfile:/"
_STACK_FRAME = r"""(?x)
      Traceback\ \(most\ recent
    | \bFile\ ["'<][^"'>]*["'>],\ line\ \d
    | \bline\ \d+,\ in\ \S
    | \bat\ [^\s(]*\s?\([^)]*:\d+\)
    | \bat\ \S+:\d+:\d+
    | \bgoroutine\ \d+\ \[
    """


def safe_error(code: object, message: object) -> tuple[str, str] | None:
    """Returns `(code, message)` if both are safe to pass on, else None; the caller then uses its fixed text.

    Safe is: a code of at most 64 letters, digits, `_`, `.` and `-`; a message of 1 to 512 characters on one line,
    without control characters, credential, absolute path or stack frame. In doubt the answer is None.
    """
    if not isinstance(code, str) or re.fullmatch(_CODE, code) is None:
        return None
    if not isinstance(message, str) or not message.strip() or len(message) > MAX_MESSAGE or not is_clean_line(message):
        return None
    if re.search(_CREDENTIAL, message) or re.search(_STACK_FRAME, message):
        return None
    return None if re.search(_ABSOLUTE_PATH, re.sub(_URL, "URL", message)) else (code, message)
