"""What the offline provider says about what it read: extracts, with the lines they come from.

Nothing here is invented: every sentence is the file's own, clipped where it is long. An answer has about forty lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from ditto_core.workers.infer.providers.offline.document import Document, is_real
from ditto_core.workers.infer.providers.offline.markdown import Block
from ditto_core.workers.infer.providers.offline.rank import best_passages, key_sentences, sentences, terms

_STARTING = re.compile(
    r"\b(?:install|quick ?start|get(?:ting)? started|usage|set ?up|how to (?:use|run|start)|try it|running)"
    r"|安装|快速|使用|开始|入门",
    re.IGNORECASE,
)
_INSTALL = re.compile(r"\binstall\b")
_KNOWN_ENTRIES = {
    "readme": "says what this is",
    "license": "terms of use",
    "licence": "terms of use",
    "changelog": "changes by version",
    "contributing": "how to contribute",
    "security": "how to report a vulnerability",
    "makefile": "build targets",
    "dockerfile": "container image",
    "pyproject.toml": "Python project settings",
    "package.json": "Node.js project settings",
    "cargo.toml": "Rust project settings",
    "go.mod": "Go module",
    "tests": "tests",
    "test": "tests",
    "docs": "documentation",
    "examples": "examples",
    ".gitignore": "what Git leaves out",
    ".github": "GitHub workflows",
}


def summarize(document: Document, share: int, count: int | None = None) -> Iterator[str]:
    """Title, lead, outline, how to start and the key sentences. `share` is how many documents share the answer."""
    yield f"# {document.title or document.source}"
    lead = document.lead
    if document.line_count == 0:
        yield f"\n{document.source} is empty."
        return
    beside = " ".join(_opening(document, lead)) if lead else ""
    if count is not None:
        yield ""
        yield from _counted(document, count)
        return
    if lead:
        yield from (f"\n{clip(text, 480)}" for text in _opening(document, lead))
    yield from _outline(document, 12 if share == 1 else 6)
    yield from _start(document, 8 if share == 1 else 3)
    points = key_sentences(document, max(2, 5 // share), beside)
    if points:
        yield "\nKey points:\n"
        yield from (f"- {clip(text, 280)} ({document.source}:{line})" for line, text in points)
    if (document.is_code and not document.headings) or not (lead or points or document.headings):
        yield from excerpt(document, 12)


def _opening(document: Document, lead: Block) -> Iterator[str]:
    """The lead, and the paragraph below it where the lead is only a slogan."""
    yield lead.text
    after = document.blocks[document.blocks.index(lead) + 1 :][:1]
    if len(lead.text) < 80 and after and after[0].kind == "text" and is_real(after[0].text):
        yield after[0].text


def _counted(document: Document, count: int) -> Iterator[str]:
    first = sentences(document.lead.text)[:1] if document.lead else []
    line = document.lead.line if document.lead else 0
    rest = key_sentences(document, count - len(first), " ".join(first)) if count > len(first) else []
    for at, text in [*((line, text) for text in first), *rest]:
        yield f"- {clip(text, 400)} ({document.source}:{at})"


def _outline(document: Document, limit: int) -> Iterator[str]:
    headings = document.headings
    top = min((block.level for block in headings), default=0)
    if sum(block.level <= top + 1 for block in headings) > limit:
        headings = tuple(block for block in headings if block.level == top)
    else:
        headings = tuple(block for block in headings if block.level <= top + 1)
    if len(headings) < 2:
        return
    yield "\nOutline:\n"
    depth = -1
    for block in headings[:limit]:
        depth = min(depth + 1, block.level - top)
        where = f" ({document.source}:{block.line})" if document.is_code else ""
        yield f"{'  ' * depth}- {clip(block.text, 90)}{where}"
    if len(headings) > limit:
        yield f"- … and {len(headings) - limit} more"


def _start(document: Document, limit: int) -> Iterator[str]:
    """The first code under a heading about installing or using, else what that section says, else the first code."""
    if document.is_code:
        return
    under = [block for heading, block in document.sections() if _STARTING.search(heading)]
    code = [block for block in under if block.kind == "code"]
    prose = [block for block in under if block.kind in ("text", "item") and block != document.lead]
    anywhere = [block for block in document.blocks if block.kind == "code" and not block.text.startswith("http")]
    installing = [block for block in anywhere if _INSTALL.search(block.text)]
    found = next(iter(code or prose or installing or anywhere), None)
    if found is None:
        return
    title = "How to start" if code or prose or installing else "First example"
    yield f"\n{title} ({document.source}:{found.line}):\n"
    yield from _code(found.text, limit) if found.kind == "code" else [clip(found.text, 280)]


def _code(text: str, limit: int) -> Iterator[str]:
    lines = text.rstrip("\n").expandtabs(4).split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    yield from ("    " + clip(line[margin:], 160) if line.strip() else "" for line in lines[:limit])
    if len(lines) > limit:
        yield f"    … {_many(len(lines) - limit, 'more line')}"


def answer_question(documents: Sequence[Document], question: str) -> Iterator[str]:
    """The passages that match best, each headed by `path:line`; without a match it says so and summarises."""
    found = best_passages(documents, question, 4)
    if not found:
        names = ", ".join(document.source for document in documents)
        yield f"No passage of {names} has a word in common with the question. What it is about:\n"
        for document in documents:
            yield from (*summarize(document, max(2, len(documents))), "")
        return
    yield "The passages that match best:"
    for document, heading, block in found:
        yield f"\n{document.source}:{block.line}" + (f" ({clip(heading, 80)})" if heading else "") + "\n"
        yield from _passage(document, block, question)


def _passage(document: Document, block: Block, question: str) -> Iterator[str]:
    if block.kind == "code":
        yield from _code(_around(block.text, question) if document.is_code else block.text, 10)
        return
    yield f"  {clip(block.text, 480)}"
    after = document.blocks[document.blocks.index(block) + 1 :][:1]
    if after and after[0].kind == "code":
        yield ""
        yield from _code(after[0].text, 6)


def _around(text: str, question: str) -> str:
    """The part of a long piece of code that begins just above the line with most asked words."""
    lines = text.split("\n")
    asked = set(terms(question))
    best = max(range(len(lines)), key=lambda at: (len(asked.intersection(terms(lines[at]))), -at))
    return "\n".join(lines[max(0, best - 1) :]) if len(lines) > 10 else text


def excerpt(document: Document, limit: int) -> Iterator[str]:
    """The first lines as they are."""
    cut = f"the first {limit} of " if document.line_count > limit else ""
    yield f"\n{document.source}, {cut}{_many(document.line_count, 'line')}:\n"
    yield from _code(document.text, limit)


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, cut at the end of a sentence or word, with an ellipsis where something is missing."""
    if len(text) <= limit:
        return text
    kept = text[:limit]
    end = max(kept.rfind(mark) + 1 for mark in (". ", "。", "! ", "? "))
    if end > limit // 2:
        return kept[:end].rstrip() + " …"
    return (
        (kept.rpartition(" ")[0] or kept) + "…"
        if not kept.rpartition(" ")[0] or len(kept.rpartition(" ")[0]) > limit // 2
        else kept + "…"
    )


def entry_names(text: str) -> list[str]:
    """The names in a listing: one a line, or JSON with `name` fields; a folder ends with a slash."""
    try:
        value = json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
    except ValueError:
        value = None
    if isinstance(value, dict):
        value = next((item for item in value.values() if isinstance(item, list)), [])
    if isinstance(value, list):
        return [_entry_name(item) for item in value]
    lines = [line.strip() for line in text.splitlines()]
    return [re.split(r"\t| {2,}", line)[0] for line in lines if line and line[0] not in "[("]


def _entry_name(item: object) -> str:
    if not isinstance(item, dict):
        return str(item)
    name = str(item.get("name") or item.get("path") or "")
    is_folder = str(item.get("type") or item.get("kind")).lower() in ("directory", "dir", "folder")
    return name.rstrip("/") + "/" if is_folder else name


def show_listing(folder: str, text: str) -> Iterator[str]:
    """The entries of a folder, folders first, with what well-known names stand for."""
    names = entry_names(text)
    cut = re.search(r"^\[cut: .*\]", text, re.MULTILINE)
    folders = [name for name in names if name.endswith("/")]
    files = [name for name in names if not name.endswith("/")]
    where = "This folder" if folder in (".", "") else f"{folder}/"
    yield f"\n{where} has {_many(len(folders), 'folder')} and {_many(len(files), 'file')}.\n"
    for name in (folders + files)[:36]:
        known = name.lower().rstrip("/")
        note = _KNOWN_ENTRIES.get(known) or _KNOWN_ENTRIES.get(known.partition(".")[0])
        yield f"- {name}" + (f" - {note}" if note else "")
    if len(names) > 36:
        yield f"- … and {len(names) - 36} more"
    if cut:
        yield f"\n{cut[0]}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def show_lines(title: str, text: str, limit: int = 30) -> Iterator[str]:
    """What a tool said, as it said it, under a title."""
    lines = text.rstrip().splitlines()
    yield f"\n{title}\n"
    yield from ("    " + clip(line, 200) for line in lines[:limit])
    if len(lines) > limit:
        yield f"    … {_many(len(lines) - limit, 'more line')}"
