"""Text out of an open descriptor, with bounded memory."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Iterator
from typing import NamedTuple

from ditto_core.errors import SandboxFileError
from ditto_core.sandbox.text import clean_line

_CHUNK = 65536
MAX_SCAN = 256 * 1024 * 1024
"""Bytes that are searched for the first wanted line before giving up with TOO_LARGE."""


class FileText(NamedTuple):
    """Text of a file. `truncated` says that a cap cut it, always between two characters; `size` is the whole file in
    bytes as it was while being read. A byte order mark is dropped; line ends are as in the file.
    """

    text: str
    truncated: bool
    size: int


class LineRange(NamedTuple):
    """Lines `first` to `last` (or the end), counted from 1, both included."""

    first: int = 1
    last: int | None = None


ALL_LINES = LineRange()


class _Piece(NamedTuple):
    """Bytes of a file from `offset`. `cut`: more belonged to them. `seen` bytes were read, up to the end if `ended`."""

    data: bytes
    offset: int
    cut: bool
    seen: int
    ended: bool


def read_file_text(descriptor: int, name: str, max_bytes: int, lines: LineRange) -> FileText:
    """Reads at most `max_bytes` of text. `name` is for messages. Raises NOT_TEXT, TOO_LARGE and OSError."""
    piece = _start(descriptor, max_bytes) if lines == ALL_LINES else _lines(descriptor, name, max_bytes, lines)
    _refuse_binary(piece.data, piece.offset, name)
    size = piece.seen if piece.ended else max(piece.seen, os.fstat(descriptor).st_size)
    return FileText(_decoded(piece, name), piece.cut, size)


def _chunks(descriptor: int, limit: int) -> Iterator[bytes]:
    while limit > 0 and (chunk := os.read(descriptor, min(_CHUNK, limit))):
        limit -= len(chunk)
        yield chunk


def _start(descriptor: int, max_bytes: int) -> _Piece:
    room = max_bytes + len(codecs.BOM_UTF8)
    data = b"".join(_chunks(descriptor, room + 1))
    keep = room if data.startswith(codecs.BOM_UTF8) else max_bytes
    return _Piece(data[:keep], 0, cut=len(data) > keep, seen=len(data), ended=len(data) <= room)


def _lines(descriptor: int, name: str, max_bytes: int, lines: LineRange) -> _Piece:
    """Skips to the first line chunk by chunk and keeps no more than the answer."""
    line, seen, offset = 1, 0, 0
    kept = bytearray()
    for chunk in _chunks(descriptor, MAX_SCAN):
        _refuse_binary(chunk, seen, name)
        seen += len(chunk)
        newlines = chunk.count(b"\n")
        if line + newlines < lines.first:
            line += newlines
            offset = seen
            continue
        for part in io.BytesIO(chunk):
            if line < lines.first:
                offset += len(part)
            elif lines.last is None or line <= lines.last:
                kept += part
            line += part.endswith(b"\n")
        if len(kept) > max_bytes:
            return _Piece(bytes(kept[:max_bytes]), offset, cut=True, seen=seen, ended=False)
        if lines.last is not None and line > lines.last:
            return _Piece(bytes(kept), offset, cut=False, seen=seen, ended=False)
    if seen >= MAX_SCAN:
        raise SandboxFileError("TOO_LARGE", f"{clean_line(name)} is too large to look for these lines in it")
    return _Piece(bytes(kept), offset, cut=False, seen=seen, ended=True)


def _refuse_binary(data: bytes, offset: int, name: str) -> None:
    if offset == 0 and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        hint = "Convert it to UTF-8 first."
        raise SandboxFileError("NOT_TEXT", f"{clean_line(name)} is not UTF-8: it begins like UTF-16", hint=hint)
    at = data.find(b"\0")
    if at >= 0:
        raise SandboxFileError("NOT_TEXT", f"{clean_line(name)} is not text: a NUL at byte {offset + at}")


def _decoded(piece: _Piece, name: str) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(piece.data, final=not piece.cut)  # what a cut left of a character is not an error
    except UnicodeDecodeError as error:
        at = piece.offset + error.start
        hint = "Only UTF-8 text can be read; convert it first."
        raise SandboxFileError("NOT_TEXT", f"{clean_line(name)} is not UTF-8 at byte {at}", hint=hint) from None
    return text.removeprefix("\ufeff") if piece.offset == 0 else text
