"""What a person asked for, read from their own words by fixed rules.

Only a user's words are read here: what a file says is never a request. The rules know English and Chinese request
words, and paths in any script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from ditto_core.workers.infer.providers.offline.folder import is_name, named_folders
from ditto_core.workers.infer.providers.offline.path import (
    bare_path,
    extension,
    folder_of,
    is_path,
    is_readme,
    odd_names,
    quoted,
    tidy,
    without_paths,
    written_paths,
)
from ditto_core.workers.infer.providers.offline.words import terms

Intent: TypeAlias = Literal["summary", "question", "show", "list", "search", "web", "beyond"]


def _rule(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_SUMMARY = _rule(
    r"\b(?:summar\w*|tl;?dr|overview|gist|sum up|(?:key|main) points)\b|总结|總結|概括|概述|摘要|要約|まとめ|요약"
)
_EXPLAIN = _rule(
    r"\b(?:explain|describe|introduce|analy[sz]e|review|about|what(?:'s| is| are| does))\b",
    "介绍|解释|说明|是什么|讲了什么|分析|説明",
)
_SHOW = _rule(r"\b(?:show|print|display|cat|open|contents? of|read)\b|显示|打开|读取|阅读|查看|看看|内容")
_LIST = _rule(
    r"\blist\b(?! of)|\bls\b|\b(?:what|which) (?:files|folders|directories|else)\b",
    r"\bwhat(?:'s| is| are)(?: there)? (?:in|inside|under|here)\b|列出|有哪些文件|有什么文件|目录结构",
)
_SEARCH = _rule(
    r"(?:(?:^|[.;,，]|\b(?:please|you|and|then|to|请|帮我))\s*(?:search|grep|find(?! out)|look for)"
    r"|\bwhere (?:is|are))\b",
    "搜索|查找|搜一下|検索",
)
_WEB = _rule(r"\b(?:the web|web for|internet|online)\b|网上|网络上|互联网")
_BEYOND = _rule(
    r"^\W*(?:(?:please|can you|could you|now|帮我|请)\s*)*(?:(?:translate|rewrite|refactor|fix|edit|create|delete"
    r"|remove|write|implement|generate|commit|rename|move|replace|add|update|deploy|draw|compute|calculate)\b"
    r"|.{0,40}翻译|修改|修复|创建|删除|写|生成)",
)
_MAKE = _rule(r"^\W*(?:\w+ ){0,3}(?:write|create|generate)\b|写|生成")
_ASKING = (_SUMMARY, _EXPLAIN, _SHOW, _LIST, _SEARCH, _BEYOND, re.compile(r"[:：?？]\s*$"))
_NEXT = _rule(
    r"(?:[,;.，；。]|\b(?:and|then|also)\b|并|然后)\s*(?:then |also |please )*"
    r"(?=(?:summari[sz]e|list|show|search|find|grep|explain|describe|print|what|how|where|which)\b|列出|总结|搜索|显示)",
)
_NEEDLE = _rule(
    r"\bwhere (?:is|are) (?:the )?(\S+?)(?: (?:defined|used|set|called|declared))?[?.]?\s*$|"
    r"\b(?:search|grep|find|look)(?: (?:the|this) (?:files|code|project|repo\w*|folder))?(?: for)?"
    r"(?: the| all)?(?: (?:words?|text|string|phrase|occurrences? of|uses? of|every))? ([^\s,;?!]+)|"
    r"(?:搜索|查找|搜一下)\s*([^\s，。；？！]+)",
)
_FILES = _rule(r"\b(?:files?|folders?|director(?:y|ies)|here|ls|project|repo\w*|everything)\b|文件|目录|项目")
_HERE = _rule(
    r"\b(?:here|(?:this|the|my|our|current) (?:\w+ )?(?:folder|directory|project|repo\w*|workspace)|ls)\b|目录|项目"
)
_THIS_FOLDER = _rule(r"\b(?:this|the current) (?:folder|directory|workspace)\b")
_WANTS_A_FILE = _rule(
    r"\b(?:explain|describe|introduce|analy[sz]e|review|contents? of|what(?:'s| is) in(?:side)?|how many lines)\b",
    r"\bwhat does \S+ (?:say|contain|hold)\b|介绍|解释|分析|多少行",
)
_TOOL = _rule(
    r"\b(?:use|run|call|invoke) (?:the )?(?:tool )?[`'\"]?([\w-]+)[`'\"]?(?= (?:on|with|tool)\b| ?\{|[.!]?\s*$)",
)
_PROJECT = _rule(
    r"\b(?:this|the|my|our) (?:project|repo(?:sitory)?|code ?base|package|library)\b|\breadme\b",
    "(?:这个|本|该)?(?:项目|仓库|代码库)",
)
_BARE_NAME = _rule(r"\s*(?:please )?(?:summari[sz]e|read|show|open)(?: the)? ([\w-]+)[.?!]?\s*$")
_COUNT = _rule(
    r"\b(\d{1,2}|one|two|three|four|five|six|seven|ten) (?:\w+ )?(?:sentences?|bullets?|points|lines)\b",
    r"([一二两三四五六七十]|\d{1,2})\s*(?:句|点|条|行)",
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_DIGITS = "零一二三四五六七八九十"
_MAX_WORDS = 2000
"""Characters of a request that the rules look at; what is longer is material."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file, a folder or a pattern like `docs/*.md`, as a path.

    `guessed` when the words name none: the README for "this project", the workspace itself for "list files".
    """

    path: str
    is_folder: bool = False
    guessed: bool = False

    @property
    def verb(self) -> Literal["read", "list"]:
        """What has to be done with it first."""
        return "list" if self.is_folder or self.is_pattern else "read"

    @property
    def is_pattern(self) -> bool:
        """Whether it stands for all files of a folder that match."""
        return "*" in self.path

    def covers(self, path: str) -> bool:
        """Whether a file was read for this target: itself, one in the folder, a match, a README of another name."""
        if self.is_pattern:
            return folder_of(path) == folder_of(self.path) and fnmatchcase(path, self.path)
        other_readme = is_readme(self.path) and is_readme(path) and folder_of(self.path) == folder_of(path)
        return path == self.path or folder_of(path) == self.path or other_readme


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing that is asked for. `needle` is what to search for, `tool` the name after "use" or "run"."""

    intent: Intent
    words: str
    targets: tuple[Target, ...] = ()
    needle: str = ""
    count: int | None = None
    tool: str = ""

    @property
    def topic(self) -> str:
        """The words that are neither request nor path, if some of them carry meaning: what a question is about."""
        words = without_paths(self.words)
        for target in self.targets:
            words = words.replace(target.path, " ") if len(target.path) > 1 else words
        return words if terms(words) else ""


@dataclass(frozen=True, slots=True)
class Request:
    """A user's message: what it wishes, one or several things, and the text pasted below.

    `words` is empty when there is only a text.
    """

    words: str
    wishes: tuple[Wish, ...]
    pasted: str = ""


def read_request(message: str) -> Request:
    """The request in a user's message."""
    words, pasted = _split_pasted(message.strip())
    if len(words) > _MAX_WORDS:
        words, pasted = words[:_MAX_WORDS], message
    if pasted and not _asks(words):  # a text alone, as from `cat notes.md | ditto react -`
        return Request("", (Wish("summary", ""),), message)
    return Request(words, (_wish(words, implied=False),) if pasted else tuple(_wishes(words)), pasted)


def _asks(words: str) -> bool:
    return any(rule.search(words) for rule in _ASKING)


def _split_pasted(message: str) -> tuple[str, str]:
    """A request and the text pasted below it.

    A request may have several lines itself when it names paths: unless its first line ends with a colon or is the
    beginning of a document, or what follows is too long to be said by a person.
    """
    head, _, body = message.partition("\n")
    if not body.strip():
        return message, ""
    if len(message) <= _MAX_WORDS:
        lines = [line for line in body.splitlines() if line.strip()]
        if all(len(line.split()) <= 3 and any(written_paths(line)) for line in lines):
            return message, ""
        opens_text = head.rstrip().endswith((":", "：")) or head.startswith(("#", "<", "[", "=", "---"))
        if not opens_text and _asks(message) and any(written_paths(message)):
            return message, ""
    return head.strip(), body.strip("\n")


def _wishes(words: str) -> list[Wish]:
    """One for each part of the request that names something to look at; a part that names nothing joins the last."""
    parts: list[str] = [""]
    for part in [words] if _TOOL.search(words) else _NEXT.split(words):
        alone = _wish(part)
        named = alone.targets or alone.needle
        if named and parts[-1] and (_wish(parts[-1]).targets or _wish(parts[-1]).needle):
            parts.append(part)
        else:
            parts[-1] = f"{parts[-1]} and {part}" if parts[-1] else part
    return [_wish(part) for part in parts]


def _wish(words: str, *, implied: bool = True) -> Wish:
    intent = _intent(words)
    needle = _needle(words) if intent in ("search", "web") else ""
    targets = [*dict.fromkeys(_targets(words, intent, needle))]
    if implied and not targets:
        targets = [*_implied(words, intent)]
    tool = _TOOL.search(words)
    return Wish(intent, words, tuple(targets), needle, _count(words), tool[1] if tool else "")


def _count(words: str) -> int | None:
    found = _COUNT.search(words)
    number = (found[1] or found[2]).lower().replace("两", "二") if found else "0"
    count = int(number) if number.isdecimal() else _NUMBERS.get(number) or _DIGITS.find(number)
    return count or None


def _intent(words: str) -> Intent:
    if _BEYOND.search(words) and not (_MAKE.search(words) and _SUMMARY.search(words)):
        return "beyond"
    if _SUMMARY.search(words):
        return "summary"
    if _SEARCH.search(words) and not re.match(r"\s*how\b", words, re.IGNORECASE):
        return "web" if _WEB.search(words) else "search"
    if _LIST.search(words) and not any(extension(path) and "*" not in path for _, path in _files(words)):
        return "list"
    if _EXPLAIN.search(words):
        return "question"
    return "show" if _SHOW.search(words) else "question"


def _needle(words: str) -> str:
    if texts := [*quoted(words)]:
        return next((text for text in texts if not is_path(text)), texts[0])
    found = _NEEDLE.search(words)
    return next((text for text in found.groups() if text), "").rstrip(".。") if found else ""


def _files(words: str, needle: str = "", *, odd: bool = True) -> list[tuple[int, str]]:
    """The paths in a request with their positions; where there is none and a file is wanted, words like `bin.dat`."""
    paths = [*written_paths(words, needle)]
    return paths or [found for found in odd_names(words) if odd or _WANTS_A_FILE.search(words)]


def _targets(words: str, intent: Intent, needle: str) -> Iterator[Target]:
    """Every file and folder in order of appearance."""
    folders = named_folders(words, loose=intent in ("list", "search"))
    spots = [(at, name, True) for at, name in folders if name != needle and not bare_path(name)]
    known = {name for _, name, _ in spots}
    files = _files(words, needle, odd=intent in ("summary", "show"))
    spots += [(at, path, False) for at, path in files if path not in known]
    for _, path, said in sorted(spots):
        yield Target(tidy(path), said or path.endswith("/") or (intent == "list" and not extension(path)))


def _implied(words: str, intent: Intent) -> Iterator[Target]:
    bare = _BARE_NAME.match(words)
    if intent == "list":
        here = Target(".", is_folder=True, guessed=not _HERE.search(words))
        yield from [here] if _FILES.search(words) else []
    elif intent not in ("search", "web") and _PROJECT.search(words):
        yield Target("README.md", guessed=True)
    elif _THIS_FOLDER.search(words):
        yield Target(".", is_folder=True)
    elif bare and is_name(bare[1]):
        yield Target(bare[1])
