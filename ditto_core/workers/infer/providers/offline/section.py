"""A section as the answer: where a heading says what was asked, what stands under it is shown as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from ditto_core.workers.infer.providers.offline.block import Block
from ditto_core.workers.infer.providers.offline.document import Document
from ditto_core.workers.infer.providers.offline.words import clip, many, terms

_LONGEST = 24  # lines
_SHARE = 0.6  # of the asked words in the heading, and of the heading's words in the question


def asked_sections(documents: Sequence[Document], question: str) -> list[tuple[Document, Block, list[Block]]]:
    """The sections that share most words with the question, at most two, as heading and blocks; none of code."""
    found: list[tuple[float, Document, Block, list[Block]]] = []
    for document in documents:
        asked = set(terms(question)) - set(terms(document.title))
        for heading in () if document.is_code else document.headings:
            words = set(terms(heading.text))
            both = len(words & asked)
            if both >= _SHARE * max(len(words), len(asked), 1) and (under := _under(document, heading)):
                found.append((both / max(len(words), len(asked)), document, heading, under))
    best = max((score for score, *_ in found), default=0.0)
    return [(document, heading, under) for score, document, heading, under in found if score == best][:2]


def _under(document: Document, heading: Block) -> list[Block]:
    """What comes before the next heading of the same level or above, without links to other places."""
    at = next(at for at, block in enumerate(document.blocks) if block is heading)
    inside = takewhile(lambda block: block.kind != "heading" or block.level > heading.level, document.blocks[at + 1 :])
    blocks = [block for block in inside if block.kind != "links"]
    return blocks if any(block.kind != "heading" for block in blocks) else []


def show_section(document: Document, heading: Block, blocks: Sequence[Block]) -> Iterator[str]:
    """The section under `path:line (heading)`, about two dozen lines of it; rows and items stay together."""
    yield f"\n{document.source}:{heading.line} ({clip(heading.text, 80)})"
    lines: list[str] = []
    before = ""
    for block in blocks:
        together = block.kind in ("table", "item") and block.kind == before
        lines += [*([] if together else [""]), *_lines(block)]
        before = block.kind
    yield from lines[:_LONGEST]
    if len(lines) > _LONGEST:
        yield f"  … {many(len(lines) - _LONGEST, 'more line')}"


def _lines(block: Block) -> list[str]:
    if block.kind == "code":
        return ["    " + clip(line, 160) for line in block.text.expandtabs(4).split("\n")]
    mark = {"item": "- ", "heading": "# "}.get(block.kind, "")
    return [f"  {mark}{clip(block.text, 480)}"]
