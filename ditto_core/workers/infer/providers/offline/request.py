"""What a person asked for, read from their own words by fixed rules.

Only a user's words are read here: what a file says is never a request. The rules know English and Chinese request
words, and paths in any script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ditto_core.workers.infer.providers.offline.path import bare_path, extension, is_path, quoted, tidy, written_paths

Intent: TypeAlias = Literal["summary", "question", "show", "list", "search", "web", "beyond"]

_SUMMARY = re.compile(
    r"\b(?:summar\w*|tl;?dr|overview|gist|sum up|key points|main points)\b|总结|總結|概括|概述|摘要|要約|まとめ|요약",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(
    r"\b(?:explain|describe|introduce|analy[sz]e|review|about|what(?:'s| is| are| does))\b"
    r"|介绍|解释|说明|是什么|讲了什么|分析|説明",
    re.IGNORECASE,
)
_SHOW = re.compile(
    r"\b(?:show|print|display|cat|open|contents? of|read)\b|显示|打开|读取|阅读|查看|看看|内容", re.IGNORECASE
)
_LIST = re.compile(
    r"\blist\b(?! of)|\bls\b|\b(?:what|which) (?:files|folders|directories|else)\b|"
    r"\bwhat(?:'s| is| are)(?: there)? (?:in|inside|under|here)\b|列出|有哪些文件|有什么文件|目录结构",
    re.IGNORECASE,
)
_PLEASE = r"(?:^|[.;,，]|\b(?:please|you|and|then|to|请|帮我))\s*"
_SEARCH = re.compile(
    _PLEASE + r"(?:search|grep|find(?! out)|look for)\b|\bwhere (?:is|are)\b|搜索|查找|搜一下|検索", re.IGNORECASE
)
_BEYOND = re.compile(
    r"^\W*(?:(?:please|can you|could you|now|帮我|请)\s*)*(?:(?:translate|rewrite|refactor|fix|edit|create|delete"
    r"|remove|write|implement|generate|commit|rename|move|replace|add|update|deploy|draw|compute|calculate)\b"
    r"|.{0,40}翻译|修改|修复|创建|删除|写|生成)",
    re.IGNORECASE,
)
_MAKE = re.compile(r"^\W*(?:\w+ ){0,3}(?:write|create|generate)\b|写|生成", re.IGNORECASE)
_ASKS = re.compile(
    "|".join(rule.pattern for rule in (_SUMMARY, _EXPLAIN, _SHOW, _LIST, _SEARCH, _BEYOND)) + r"|[:：?？]\s*$",
    re.IGNORECASE,
)
_WEB = re.compile(r"\b(?:the web|web for|internet|online)\b|网上|网络上|互联网", re.IGNORECASE)
_NEEDLE = re.compile(
    r"\b(?:search|grep|find|look)(?: (?:the|this) (?:files|code|project|repo\w*|folder))?(?: for)?"
    r"(?: the| all)?(?: (?:words?|text|string|phrase|occurrences? of|uses? of|every))? ([^\s,;?!]+)|"
    r"(?:搜索|查找|搜一下)\s*([^\s，。；？！]+)",
    re.IGNORECASE,
)
_FOLDER_AFTER = re.compile(r"\b(?:in|inside|under|of|from|list|ls)\s+(?:the\s+)?([\w./@+-]+)", re.IGNORECASE)
_TOOL = re.compile(
    r"\b(?:use|run|call|invoke) (?:the )?(?:tool )?[`'\"]?([\w-]+)[`'\"]?(?= (?:on|with|tool)\b| ?\{|[.!]?\s*$)",
    re.IGNORECASE,
)
_FOLDER_NAMED = re.compile(
    r"\bfiles (?:in|under|of) (?:the )?([\w./@+-]+)|"
    r"\b([\w./@+-]+)[\"'`]?\s+(?:folder|directory|dir)\b|(?:folder|directory)\s+([\w./@+-]+)|([\w./-]+)\s*(?:目录|文件夹)"
)
_NO_FOLDER_NAMES = """
    the this that current working here it a an my our your which each every folder directory files contents content
    project repo root and
"""
_HERE = frozenset(_NO_FOLDER_NAMES.split())
_PROJECT = re.compile(
    r"\b(?:this|the|my|our) (?:project|repo(?:sitory)?|code ?base|package|library)\b|\breadme\b"
    r"|(?:这个|本|该)?(?:项目|仓库|代码库)",
    re.IGNORECASE,
)
_BARE_NAME = re.compile(r"\s*(?:please )?(?:summari[sz]e|read|show|open)(?: the)? ([\w-]+)[.?!]?\s*$", re.IGNORECASE)
_COUNT = re.compile(
    r"\b(\d{1,2}|one|two|three|four|five|six|seven|ten) (?:\w+ )?(?:sentences?|bullets?|points|lines)\b"
    r"|([一二两三四五六七十]|\d{1,2})\s*(?:句|点|条|行)",
    re.IGNORECASE,
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10} | {
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "十": 10,
}


_MAX_WORDS = 2000
"""Characters of a request that the rules look at; what is longer is material."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file or a folder that the person named, as a path; `guessed` when the name was implied by "this project"."""

    path: str
    is_folder: bool = False
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """A request. `words` is what the person said, `pasted` the material below it, `needle` what to search for.

    `tool` is the name after "use" or "run". `words` is empty when there is only a text.
    """

    intent: Intent
    words: str
    targets: tuple[Target, ...] = ()
    needle: str = ""
    count: int | None = None
    pasted: str = ""
    tool: str = ""


def read_wish(message: str) -> Wish:
    """The request in a user's message."""
    words, pasted = _split_pasted(message.strip())
    if len(words) > _MAX_WORDS:
        words, pasted = words[:_MAX_WORDS], message
    if pasted and not _ASKS.search(words):  # a text alone, as from `cat notes.md | ditto react -`
        return Wish("summary", "", pasted=message)
    intent = _intent(words)
    needle = _needle(words) if intent in ("search", "web") else ""
    targets = tuple(_unique(_targets(words, intent, needle)))
    if not targets and not pasted and intent != "web":
        targets = tuple(_implied(words, intent))
    count = _COUNT.search(words)
    number = count and (_NUMBERS.get((count[1] or count[2]).lower()) or int(count[1] or count[2]))
    tool = _TOOL.search(words)
    return Wish(intent, words, targets, needle, number or None, pasted, tool[1] if tool else "")


def _split_pasted(message: str) -> tuple[str, str]:
    """A request and the text pasted below it.

    A request may have several lines itself when it names paths: unless its first line ends with a colon or is the
    beginning of a document, or what follows is too long to be said by a person.
    """
    head, separator, body = message.partition("\n")
    if not separator or not body.strip():
        return message, ""
    if len(message) <= _MAX_WORDS:
        lines = [line for line in body.splitlines() if line.strip()]
        if all(len(line.split()) <= 3 and any(written_paths(line)) for line in lines):
            return message, ""
        opens_text = head.rstrip().endswith((":", "：")) or head.startswith(("#", "<", "[", "=", "---"))
        if not opens_text and _ASKS.search(message) and any(written_paths(message)):
            return message, ""
    return head.strip(), body.strip("\n")


def _intent(words: str) -> Intent:
    if _BEYOND.search(words) and not (_MAKE.search(words) and _SUMMARY.search(words)):
        return "beyond"
    if _SUMMARY.search(words):
        return "summary"
    if _SEARCH.search(words) and not re.match(r"\s*how\b", words, re.IGNORECASE):
        return "web" if _WEB.search(words) else "search"
    if _LIST.search(words) and not any(extension(path) for _, path in written_paths(words)):
        return "list"
    if _EXPLAIN.search(words):
        return "question"
    return "show" if _SHOW.search(words) else "question"


def _needle(words: str) -> str:
    texts = list(quoted(words))
    if texts:
        return next((text for text in texts if not is_path(text)), texts[0])
    where = re.search(
        r"\bwhere (?:is|are) (?:the )?(\S+?)(?: (?:defined|used|set|called|declared))?[?.]?\s*$", words, re.IGNORECASE
    )
    found = where or _NEEDLE.search(words)
    return next((text for text in found.groups() if text), "").rstrip(".。") if found else ""


def _targets(words: str, intent: Intent, needle: str) -> Iterator[Target]:
    """Every file and folder in order of appearance."""
    spots = [(at, path, False) for at, path in written_paths(words, needle)]
    for rule in (_FOLDER_NAMED, _FOLDER_AFTER) if intent in ("list", "search") else (_FOLDER_NAMED,):
        for match in rule.finditer(words):
            name = next(part for part in match.groups() if part).rstrip(".")
            if name and name.lower() not in _HERE and name != needle and not bare_path(name):
                spots.append((match.start(), name, True))
    for _, path, said in sorted(spots):
        yield Target(tidy(path), said or path.endswith("/") or (intent == "list" and not extension(path)))


def _unique(targets: Iterator[Target]) -> Iterator[Target]:
    seen: set[str] = set()
    for target in targets:
        if target.path not in seen:
            seen.add(target.path)
            yield target


def _implied(words: str, intent: Intent) -> Iterator[Target]:
    bare = _BARE_NAME.match(words)
    if intent == "list":
        yield Target(".", is_folder=True)
    elif intent != "search" and _PROJECT.search(words):
        yield Target("README.md", guessed=True)
    elif bare and bare[1].lower() not in _HERE:
        yield Target(bare[1])
