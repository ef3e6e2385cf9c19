"""Text from outside, made safe to show: no control character, no hidden direction change, no invisible message.

Everything that is taken out stays visible as an escape (`\\x1b`, `\\u202e`), so a reader sees that it was there.
"""

from __future__ import annotations

import re

# C0 without tab and newline, DEL, C1; every bidirectional control (Unicode property Bidi_Control) and its deprecated
# neighbours; lone surrogates; the tag characters, which spell ASCII invisibly. `str.isprintable` is false for each, so
# plain text is told apart without a pattern, which takes a millisecond to compile.
_FORBIDDEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ud800-\udfff\U000e0000-\U000e007f"
_IN_TEXT = f"[{_FORBIDDEN}]"
_IN_LINE = f"[{_FORBIDDEN}\t\n\u2028\u2029]"
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def clean_text(text: str) -> str:
    """Returns `text` with every forbidden character escaped. Newlines and tabs stay; CRLF and a lone CR become LF.

    A lone CR would let later text overwrite the line on a terminal. Linear in the length, and idempotent.
    A CRLF that is split over two calls becomes two newlines.
    """
    if text.replace("\n", "").replace("\t", "").isprintable() or re.search(_IN_TEXT, text) is None:
        return text
    return re.sub(_IN_TEXT, _escaped, re.sub("\r\n?", "\n", text))


def clean_line(text: str, limit: int = 200) -> str:
    """Returns `text` as one line of at most `limit` characters (≥ 1), cut with an ellipsis.

    Like clean_text, and tabs, newlines, CR and the Unicode line separators are escaped, too.
    """
    line = text[: limit + 1]
    if not line.isprintable():
        line = re.sub(_IN_LINE, _escaped, line)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def is_clean_line(text: str) -> bool:
    """Whether `text` is one line without a character that clean_line would escape."""
    return text.isprintable() or re.search(_IN_LINE, text) is None


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    number = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
