"""The text of an answer: for each wish what was read for it, then what tools said, then what could not be done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ditto_core.workers.infer.providers.offline.action import ActionKind, find_action, main_value, not_offered
from ditto_core.workers.infer.providers.offline.answer import answer_question, excerpt, gist, summarize
from ditto_core.workers.infer.providers.offline.document import Document
from ditto_core.workers.infer.providers.offline.listing import Entry, not_looked_at, show_listing
from ditto_core.workers.infer.providers.offline.path import folder_of, is_readme
from ditto_core.workers.infer.providers.offline.request import Target, Wish
from ditto_core.workers.infer.providers.offline.talk import NO_OUTPUT, Seen, Talk
from ditto_core.workers.infer.providers.offline.turn import MOST_ACTIONS, pending
from ditto_core.workers.infer.providers.offline.words import clip, many

_HOW_MANY_LINES = re.compile(r"\bhow many lines\b|多少行", re.IGNORECASE)
_SEARCHES: Mapping[str, ActionKind] = {"search": "search", "web": "web"}
_CUT = re.compile(r"^\[cut: .*\]", re.MULTILINE)


def write_reply(talk: Talk) -> str:
    """The answer with its notes; empty when nothing was read, listed or said."""
    lines: list[str] = []
    notes: list[str] = []
    for wish in talk.request.wishes:
        documents = _documents(wish, talk)
        lines += [*_body(wish, documents), ""]
        notes += _notes(wish, documents)
        for seen in () if documents and _is_question(wish) else _listings(wish, talk):
            listing, left = _listing(seen, wish, talk)
            lines += listing
            notes += [f"not looked at: {left}"] if left else []
    lines += [line for seen in talk.seen if seen.ok and seen.kind not in ("read", "list") for line in _said(seen)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip("\n"))
    notes = [f"- {note}" for note in dict.fromkeys((*notes, *failures(talk)))]
    return "\n".join([text, "", "Notes:", "", *notes] if notes else [text]) + "\n" if text else ""


def _documents(wish: Wish, talk: Talk) -> list[Document]:
    """What a wish is answered from. Of a folder that is its README, but for a question all that was read of it."""
    if wish.intent in ("list", "web", "beyond") or (wish.intent == "search" and talk.done("search")):
        return []
    listed = set() if _is_question(wish) else {seen.value for seen in _listings(wish, talk)}
    found = [
        document
        for document in (*talk.material, *(seen.document for seen in talk.done("read").values()))
        if any(target.covers(document.source) for target in wish.targets)
        and (folder_of(document.source) not in listed or is_readme(document.source))
    ]
    return found if found or any(not target.guessed for target in wish.targets) else list(talk.material)


def _listings(wish: Wish, talk: Talk) -> list[Seen]:
    """The folders that were named, and the one without a README where one was looked for."""
    readmes = [*filter(is_readme, talk.done("read"))]
    paths = [target.path for target in wish.targets]
    paths += [folder_of(path) for path in paths if is_readme(path) and not any(map(Target(path).covers, readmes))]
    return [seen for seen in talk.done("list").values() if seen.value in paths or _chosen(wish, seen)]


def _chosen(wish: Wish, seen: Seen) -> dict[str, Entry]:
    """What of a listed folder the patterns match that are to be listed, by path."""
    patterns = _patterns(wish, seen)
    return {path: entry for path, entry in seen.files.items() if any(one.covers(path) for one in patterns)}


def _patterns(wish: Wish, seen: Seen) -> list[Target]:
    """The patterns to list that a folder was listed for; none if it was named itself."""
    if wish.intent != "list" or any(target.path == seen.value for target in wish.targets):
        return []
    return [one for one in wish.targets if one.is_pattern and folder_of(one.path) == seen.value]


def _listing(seen: Seen, wish: Wish, talk: Talk) -> tuple[list[str], str]:
    """A folder, or what in it matches a pattern, as text; and what of it was not looked at."""
    gists = _gists(seen, talk)
    pattern = ", ".join(one.path for one in _patterns(wish, seen))
    entries = [*_chosen(wish, seen).values()] if pattern else seen.entries
    cuts = [f"\n{cut}" for cut in _CUT.findall(seen.text)]
    return [*show_listing(seen.value, entries, gists, pattern), *cuts, ""], not_looked_at(entries, gists)


def _is_question(wish: Wish) -> bool:
    return bool(wish.topic) and wish.intent not in ("summary", "list")


def _gists(listed: Seen, talk: Talk) -> dict[str, str]:
    """What the files of a folder that were read are, by name."""
    read = talk.done("read").items()
    return {path.rpartition("/")[2]: gist(seen.document) for path, seen in read if folder_of(path) == listed.value}


def _body(wish: Wish, documents: list[Document]) -> Iterator[str]:
    yield from (f"{document.source} is empty.\n" for document in documents if not document.line_count)
    documents = [document for document in documents if document.line_count]
    if _HOW_MANY_LINES.search(wish.words):
        yield from (_line_count(document) for document in documents)
        return
    if documents and _is_question(wish):
        yield from answer_question(documents, wish.needle or wish.topic)
        return
    for document in documents:
        if wish.intent == "show":
            yield from excerpt(document, max(3, 36 // len(documents)))
        else:
            yield from (*summarize(document, len(documents), wish.count), "")


def _line_count(document: Document) -> str:
    if document.truncated:
        return f"{document.source} has more than {many(document.line_count, 'line')}; the rest was cut by a limit."
    return f"{document.source} has {many(document.line_count, 'line')}."


def _said(seen: Seen) -> Iterator[str]:
    """What a tool said, as it said it, under a title."""
    lines = seen.text.rstrip().splitlines()
    if seen.kind == "search" and (not lines or seen.text.startswith(("no match", NO_OUTPUT))):
        yield f'\nNothing contains "{seen.value}".'
        return
    yield f'\n"{seen.value}" was found here:\n' if seen.kind == "search" else f"\n{seen.name} says:\n"
    yield from ("    " + clip(line, 200) for line in lines[:30])
    if len(lines) > 30:
        yield f"    … {many(len(lines) - 30, 'more line')}"


def _notes(wish: Wish, documents: list[Document]) -> Iterator[str]:
    if any(target.guessed for target in wish.targets) and documents:
        yield f"no file was named, so {', '.join(document.source for document in documents)} was read"
    if any(target.guessed and target.is_folder for target in wish.targets):
        yield "no folder was named, so the workspace itself was listed"
    if not wish.words:
        yield "the text came without a request, so it was summarised"
    for document in documents:
        if document.truncated:
            yield f"{document.source} was cut by a limit; what comes after line {document.line_count} was not read"


def failures(talk: Talk) -> list[str]:
    """Why each named input that could not be used was not, one line each."""
    found: list[str] = []
    for wish in talk.request.wishes:
        if not wish.tool and not (wish.intent in ("search", "web") and (talk.done("search") or talk.done("web"))):
            found += [why for target in talk.unheld(wish.targets) if (why := _why_unread(target, wish, talk))]
        if wish.needle and wish.intent in _SEARCHES and not find_action(_SEARCHES[wish.intent], talk.actions):
            found.append(f'"{clip(wish.needle, 80)}" was not searched for: {not_offered(_SEARCHES[wish.intent])}')
    for seen in talk.seen:
        other_readme = is_readme(seen.value) and any(map(Target(seen.value).covers, talk.done("read")))
        if not seen.ok and not other_readme and seen.value not in talk.done("list"):
            reason = clip(" ".join(seen.text.removeprefix("[failed] ").split()), 500) or "no reason given"
            found.append(reason if seen.value and seen.value in reason else f"{seen.value or seen.name}: {reason}")
    if left := [main_value(given) for _, given in pending(talk)] if talk.seen else []:
        found.append(f"not read: {clip(', '.join(left), 200)}; a request takes at most {MOST_ACTIONS} actions")
    return found


def _why_unread(target: Target, wish: Wish, talk: Talk) -> str:
    listed = talk.done("list").get(folder_of(target.path))
    if target.is_pattern and listed and not any(map(target.covers, listed.files)):
        return f"no file matches {target.path}"
    needed: tuple[ActionKind, ...] = (target.verb,) if wish.intent == "list" else (target.verb, "read")
    kind = next((kind for kind in needed if not find_action(kind, talk.actions)), None)
    done = "listed" if kind == "list" else "read"
    what = "what is in " if kind != target.verb and target.is_folder else ""
    return f"{what}{clip(target.path, 120)} was not {done}: {not_offered(kind)}" if kind else ""
