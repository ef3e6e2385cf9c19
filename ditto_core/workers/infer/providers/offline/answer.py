"""Answers in the files' own words: what a file is, its parts and how to start; the passages that match a question.

Nothing here is invented: every sentence is a file's own, clipped where it is long. An answer has about forty lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ditto_core.workers.infer.providers.offline.block import Block
from ditto_core.workers.infer.providers.offline.document import Document
from ditto_core.workers.infer.providers.offline.rank import best_passages, key_sentences
from ditto_core.workers.infer.providers.offline.section import asked_sections, show_section
from ditto_core.workers.infer.providers.offline.words import clip, is_legal, is_real, many, sentences, terms

_STARTING = re.compile(
    r"\b(?:install|quick ?start|get(?:ting)? started|usage|set ?up|how to (?:use|run|start)|try it|running|build)"
    r"|安装|快速|使用|开始|入门",
    re.IGNORECASE,
)
_UNIMPORTANT = re.compile(r"(?:async )?(?:def|class) _|\[?(?:version |v)?\d+\.\d+", re.IGNORECASE)
_INSTALL = re.compile(r"\binstall\b|\bcargo add\b|\bgo get\b")


def summarize(document: Document, share: int, count: int | None = None) -> Iterator[str]:
    """Title, lead, outline, how to start and key sentences, in about 40 lines.

    `share` is how many documents share the answer. With a `count` it is that many sentences instead.
    """
    yield f"# {document.title or document.source}"
    if count is not None:
        yield from ("", *_counted(document, count))
    elif share > 3:
        yield f"\n{clip(gist(document, titled=False), 280)} ({document.source})"
    else:
        yield from _whole(document, share)


def gist(document: Document, *, titled: bool = True) -> str:
    """The file in one line: its title and the first sentence of what says what it is, else what it declares."""
    lead = next(iter(sentences(document.lead.text)), "") if document.lead else ""
    title = document.title if titled and document.title != lead else ""
    if title:
        return f"{title}: {lead}" if is_real(lead) and not is_legal(lead) else title
    names = [_name(block.text) for block in document.headings if block.level == 1]
    return lead or ", ".join(names[:8]) + ", …" * (len(names) > 8)


def _name(declared: str) -> str:
    """`class Hive` of `class Hive(Box):`, `func Run` of `func (c *Client) Run() error`."""
    return re.split(r"[(:={]", re.sub(r"^func \([^)]*\)", "func", declared))[0].strip()


def _whole(document: Document, share: int) -> Iterator[str]:
    opening = list(_opening(document))
    yield from (f"\n{text if text.startswith('- ') else clip(text, 480)}" for text in opening)
    yield from _outline(document, 12 // share)
    points: list[tuple[int, str]] = []
    if not document.is_code:
        yield from _start(document, 8 if share == 1 else 3)
        points = key_sentences(document, max(2, 5 // share), " ".join(opening))
    if points:
        yield "\nKey points:\n"
        yield from (f"- {clip(text, 280)} ({document.source}:{line})" for line, text in points)
    if not document.headings and (document.is_code or not (opening or points)):
        yield from excerpt(document, 12)


def _opening(document: Document) -> Iterator[str]:
    """The lead; below it what it announces, or the next paragraph where the lead is only a slogan."""
    if not (lead := document.lead):
        return
    yield lead.text
    after = document.after(lead)
    if document.is_code or after is None:
        return
    if after.kind == "text" and len(lead.text) < 80 and is_real(after.text):
        yield after.text
    elif after.kind == "item" and lead.text.endswith((":", "：")):
        following = document.blocks[document.blocks.index(after) :]
        items = [*takewhile(lambda block: block.kind == "item", following)]
        yield "\n".join(f"- {clip(item.text, 160)}" for item in items[:5])


def _counted(document: Document, count: int) -> Iterator[str]:
    lead = document.lead
    first = [(lead.line, text) for text in sentences(lead.text)[:1]] if lead else []
    rest = key_sentences(document, count - len(first), first[0][1] if first else "") if count > len(first) else []
    yield from (f"- {clip(text, 400)} ({document.source}:{line})" for line, text in [*first, *rest])


def _outline(document: Document, limit: int) -> Iterator[str]:
    """The headings of the upper two levels, or of the top one where those are too many; of code with what they say."""
    headings = _public(document)
    top = min((block.level for block in headings), default=0)
    upper = [block for block in headings if block.level <= top + 1]
    shown = upper if len(upper) <= limit else [block for block in headings if block.level == top]
    if len(shown) < (1 if document.is_code else 2):
        return
    yield "\nParts:\n" if document.is_code else "\nOutline:\n"
    depth = -1
    for block in shown[:limit]:
        depth = min(depth + 1, block.level - top)
        yield f"{'  ' * depth}- {_entry(document, block)}"
    if len(shown) > limit:
        yield f"- … and {len(shown) - limit} more"


def _public(document: Document) -> list[Block]:
    """The headings without versions; of code without names that begin with an underscore; if any are left."""
    named = [block for block in document.headings if not _UNIMPORTANT.match(block.text)]
    return named if len(named) > 1 else list(document.headings)


def _entry(document: Document, block: Block) -> str:
    if not document.is_code:
        return clip(block.text.rstrip(":"), 90)
    after = document.after(block)
    said = next(iter(sentences(after.text)), "") if after and after.kind == "text" else ""
    return f"{clip(block.text, 90)} ({document.source}:{block.line})" + (f" - {clip(said, 120)}" if said else "")


def _start(document: Document, limit: int) -> Iterator[str]:
    """The first code under a heading about installing or using, else what that section says, else the first code."""
    under = [block for heading, block in document.sections() if _STARTING.search(heading)]
    code = [block for block in under if block.kind == "code"]
    prose = [block for block in under if block.kind in ("text", "item") and block != document.lead]
    anywhere = [block for block in document.blocks if block.kind == "code" and not block.text.startswith("http")]
    installing = [block for block in anywhere if _INSTALL.search(block.text)]
    found = next(iter(code or prose or installing or anywhere), None)
    if found is not None:
        title = "How to start" if code or prose or installing else "First example"
        yield f"\n{title} ({document.source}:{found.line}):\n"
        yield from indented(found.text, limit) if found.kind == "code" else [clip(found.text, 280)]


def excerpt(document: Document, limit: int) -> Iterator[str]:
    """The first lines as they are."""
    cut = f"the first {limit} of " if document.line_count > limit else ""
    yield f"\n{document.source}, {cut}{many(document.line_count, 'line')}:\n"
    yield from indented(document.text, limit)


def indented(text: str, limit: int) -> Iterator[str]:
    """Lines as they are, at most `limit`, moved to the same margin of four."""
    lines = text.rstrip("\n").expandtabs(4).split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    yield from ("    " + clip(line[margin:], 160) if line.strip() else "" for line in lines[:limit])
    if len(lines) > limit:
        yield f"    … {many(len(lines) - limit, 'more line')}"


def answer_question(documents: Sequence[Document], question: str) -> Iterator[str]:
    """A section whose heading says what was asked, else the passages that match best, each headed by `path:line`.

    Without a match it says so and summarises.
    """
    if sections := asked_sections(documents, question):
        yield "The section that matches best:" if len(sections) == 1 else "The sections that match best:"
        for section in sections:
            yield from show_section(*section)
        return
    found = best_passages(documents, question, 8)
    if not found:
        names = ", ".join(document.source for document in documents)
        yield f"No passage of {names} has a word in common with the question. What it is about:\n"
        for document in documents:
            yield from (*summarize(document, max(2, len(documents))), "")
        return
    yield "The passages that match best:"
    shown: list[str] = []
    for document, heading, block in found:
        if block.text not in shown and len(shown) < 8:
            below = _code_below(document, block)
            shown += [block.text, below]
            yield from _passage(document, heading, block, question)
            yield from ("", *indented(below, 6)) if below else ()


def _code_below(document: Document, block: Block) -> str:
    """The code that a paragraph leads to."""
    after = document.after(block)
    return after.text if block.kind != "code" and after and after.kind == "code" else ""


def _passage(document: Document, heading: str, block: Block, question: str) -> Iterator[str]:
    skipped = _lines_before(block.text, question) if document.is_code else 0
    yield f"\n{document.source}:{block.line + skipped}" + (f" ({clip(heading, 80)})" if heading else "") + "\n"
    if block.kind == "code":
        yield from indented("\n".join(block.text.split("\n")[skipped:]), 10)
    else:
        yield f"  {clip(block.text, 480)}"


def _lines_before(text: str, question: str) -> int:
    """How many lines of a long piece of code come before the line just above the one with most asked words."""
    lines = text.split("\n")
    asked = set(terms(question))
    best = max(range(len(lines)), key=lambda at: (len(asked.intersection(terms(lines[at]))), -at))
    return max(0, best - 1) if len(lines) > 10 else 0
