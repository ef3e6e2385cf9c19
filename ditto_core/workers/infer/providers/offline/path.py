"""Paths inside a person's sentence: quoted or bare, in any script, with or without spaces around them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ditto_core.workers.infer.providers.offline.markdown import CJK

_NAMES_EVERYBODY_KNOWS = """
    README LICENSE LICENCE COPYING NOTICE AUTHORS CHANGELOG CHANGES CONTRIBUTING INSTALL NEWS HISTORY SECURITY
    CODEOWNERS Makefile Dockerfile Jenkinsfile Procfile Vagrantfile Gemfile Rakefile
"""
_KNOWN_NAMES = frozenset(_NAMES_EVERYBODY_KNOWS.split())
_KNOWN_EXTENSIONS = """
    adoc bash bat c cc cfg conf cpp cs css csv diff env go gradle h hpp htm html ini ipynb java js json jsonl jsx kt
    lock log lua md markdown mdx mjs org patch pdf php pl png po proto ps1 py pyi r rb rs rst scala scss sh sql svg
    swift tex toml ts tsv tsx txt vue xml yaml yml zig zip gz tar jpg jpeg gif docx xlsx
"""
_EXTENSIONS = frozenset(_KNOWN_EXTENSIONS.split())
_LOOKS_LIKE_A_PATH = """
    and/or either/or his/her he/she w/o input/output read/write client/server yes/no on/off
    true/false ci/cd node.js vue.js next.js react.js express.js three.js d3.js nuxt.js
"""
_NOT_PATHS = frozenset(_LOOKS_LIKE_A_PATH.split())
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://\S+")
_QUOTED = re.compile(
    r'"([^"\n]+)"|`([^`\n]+)`|“([^”\n]+)”|‘([^’\n]+)’|「([^」\n]+)」|『([^』\n]+)』|《([^》\n]+)》'
    r"|(?<!\w)'([^'\n]+)'(?!\w)"
)
_TOKEN = re.compile(r"[^\s,;:!?…()\[\]{}<>|*\"'`，。；：！？、“”‘’「」『』《》（）【】]+")
_ASCII_RUN = re.compile(r"[A-Za-z0-9_./~@+-]+")
_REQUEST_WORDS = re.compile(
    "^(?:请|帮我|帮忙|麻烦|你|把|给我|我|先|再|然后|并且|并|和|与|及|以及|文件|一下|读取|阅读|读|这个|那个|该|的|用"
    "|在|从|总结|概括|概述|摘要|介绍|解释|说明一下|分析|查看|看看|看|打开|显示|列出|对比|比较)+"
)


def written_paths(text: str, besides: str = "") -> Iterator[tuple[int, str]]:
    """Every path in a text with its position. Quoted ones may hold spaces, bare ones end at punctuation.

    `besides` is a text that is no path here: what a search looks for.
    """
    text = _URL.sub(lambda found: " " * len(found[0]), text)
    for match in _QUOTED.finditer(text):
        inner = next(part for part in match.groups() if part).strip()
        if inner != besides and (is_path(inner) or extension(inner)):
            yield match.start(), inner
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    for match in _TOKEN.finditer(text):
        path = bare_path(match[0])
        if path and path != besides:
            yield match.start(), path


def without_paths(text: str) -> str:
    """The words that are not paths or addresses: what a question is about."""
    for _, path in sorted(written_paths(text), key=lambda item: -len(item[1])):
        text = text.replace(path, " ")
    return _URL.sub(" ", text)


def quoted(words: str) -> Iterator[str]:
    """What stands in quotation marks or backticks, in order."""
    for match in _QUOTED.finditer(words):
        yield next(text for text in match.groups() if text).strip()


def bare_path(token: str) -> str:
    """The path in a word without spaces, or nothing."""
    token = token.strip("@").rstrip(".") if token.strip(".") else token
    token = token.lstrip("-=") if token.startswith(("-", "=")) else token
    if is_path(token) and not re.search(f"[{CJK}]", token):
        return token
    if not re.search(f"[{CJK}]", token):
        return ""
    name = re.match(rf"(.+\.(?:{'|'.join(_EXTENSIONS)}))(?![A-Za-z0-9])", _REQUEST_WORDS.sub("", token))
    if name and re.search(f"/[{CJK}]", token):
        return name[1]
    for run in _ASCII_RUN.findall(token):  # a path between words of a script without spaces
        if is_path(run.rstrip(".")) and not run.startswith((".", "/")):
            return str(run.rstrip("."))
    return name[1] if name else ""


def is_path(text: str) -> bool:
    """Whether a word is a path: it has a slash, a known extension, a leading dot, or is a name every project knows."""
    if text.lower() in _NOT_PATHS or "\n" in text or len(text) > 1024:
        return False
    if "/" in text:
        parts = text.split("/")
        plain = not extension(text) and text[0] not in "./~" and not text.endswith("/")
        if plain and (parts[-1].isdigit() or all(part.isupper() for part in parts)):  # HTTP/2, TCP/IP, 24/7
            return False
        return any(part.strip(".~") for part in parts)
    if text in (".", "..") or text in _KNOWN_NAMES:
        return text in _KNOWN_NAMES
    return extension(text).lower() in _EXTENSIONS or bool(re.fullmatch(r"\.[a-z][\w.-]+", text))


def extension(path: str) -> str:
    """The letters behind the last dot of a file name, or nothing: `1.2`, `e.g` and sentences have no extension."""
    stem, dot, extension = posixpath.basename(path).rpartition(".")
    return (
        extension
        if dot and stem and re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,9}", extension) and len(stem + extension) > 2
        else ""
    )


def tidy(path: str) -> str:
    """A path without `./`, doubled slashes and a last slash. What leads out of the workspace stays as it was said."""
    return (
        path.strip()
        if path.startswith(("../", "/", "~")) and not path.endswith("/")
        else posixpath.normpath(path.strip())
    )
