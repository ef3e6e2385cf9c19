"""Paths inside a person's sentence: quoted or bare, in any script, with or without spaces around them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ditto_core.workers.infer.providers.offline.words import is_spaceless

_CODE = """
    bash bat c cc cfg conf cpp cs css csv diff env fish go gradle h hpp ini ipynb java js json jsonl jsx kt lock log lua
    mjs patch php pl proto ps1 py pyi r rb rs scala scss sh sql svg swift toml ts tsv tsx vue xml yaml yml zig zsh
"""
_CODE_ENDINGS = frozenset(_CODE.split())
_CODE_NAMES = frozenset({"Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Vagrantfile", "Gemfile", "Rakefile"})
_NAMES_EVERYBODY_KNOWS = """
    README LICENSE LICENCE COPYING NOTICE AUTHORS CHANGELOG CHANGES CONTRIBUTING INSTALL NEWS HISTORY SECURITY
    CODEOWNERS
"""
_KNOWN_NAMES = _CODE_NAMES | frozenset(_NAMES_EVERYBODY_KNOWS.split())
_TEXT = "adoc htm html md markdown mdx org rst tex txt text"
_NOT_TEXT = "docx gif gz jpeg jpg pdf png po svg tar xlsx zip lock log"
_ENDINGS = _CODE_ENDINGS | frozenset(f"{_TEXT} {_NOT_TEXT}".split())
_LOOKS_LIKE_A_PATH = """
    and/or either/or his/her he/she w/o input/output read/write client/server yes/no on/off
    true/false ci/cd node.js vue.js next.js react.js express.js three.js d3.js nuxt.js
"""
_NO_ENDINGS = frozenset({"ai", "app", "com", "dev", "io", "net"})  # of addresses
_NOT_PATHS = frozenset(_LOOKS_LIKE_A_PATH.split())
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://\S+")
_QUOTED = re.compile(
    r'"([^"\n]+)"|`([^`\n]+)`|“([^”\n]+)”|‘([^’\n]+)’|「([^」\n]+)」|『([^』\n]+)』|《([^》\n]+)》'
    r"|(?<!\w)'([^'\n]+)'(?!\w)"
)
_TOKEN = re.compile(r"[^\s,;:!?…()\[\]{}<>|\"'`，。；：！？、“”‘’「」『』《》（）【】]+")
_ASCII_RUN = re.compile(r"[A-Za-z0-9_./~@+*-]+")
_NAME_AND_ENDING = re.compile(r"(.+\.([A-Za-z0-9]{1,10}))(?![A-Za-z0-9])")
_REQUEST_WORDS = re.compile(
    "^(?:请|帮我|帮忙|麻烦|你|把|给我|我|先|再|然后|并且|并|和|与|及|以及|文件|一下|读取|阅读|读|这个|那个|该|的|用"
    "|在|从|总结|概括|概述|摘要|介绍|解释|说明一下|分析|查看|看看|看|打开|显示|列出|对比|比较)+"
)


def written_paths(text: str, besides: str = "") -> Iterator[tuple[int, str]]:
    """Every path or pattern of paths in a text with its position. Quoted ones may hold spaces.

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


def odd_names(text: str) -> Iterator[tuple[int, str]]:
    """Words that end as a file's name does, whatever the ending, with their positions: `bin.dat`. No addresses."""
    text = _URL.sub(lambda found: " " * len(found[0]), text)
    for match in _ASCII_RUN.finditer(text):
        name = match[0].lstrip("@").rstrip(".*")
        ending = extension(name)
        plain = len(ending) > 1 and (ending.islower() or ending.isupper()) and ending.lower() not in _NO_ENDINGS
        if plain and name.lower() not in _NOT_PATHS and "@" not in name:
            yield match.start(), name


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
    token = token.strip("*") if token.startswith("*") and token.endswith("*") else token  # **README.md**
    if not any(map(is_spaceless, token)):
        return token if is_path(token) else ""
    found = _NAME_AND_ENDING.match(_REQUEST_WORDS.sub("", token))
    name = found[1] if found and found[2] in _ENDINGS else ""
    if name and any(is_spaceless(part[:1]) for part in token.split("/")[1:]):
        return name
    for run in _ASCII_RUN.findall(token):  # a path between words of a script without spaces
        if is_path(run.rstrip(".")) and not run.startswith((".", "/")):
            return str(run.rstrip("."))
    return name


def is_path(text: str) -> bool:
    """Whether a word is a path: it has a slash, a known ending, a leading dot, or is a name every project knows."""
    if text.lower() in _NOT_PATHS or "\n" in text or len(text) > 1024 or not text.strip("*"):
        return False
    if "/" in text:
        parts = text.split("/")
        plain = not extension(text) and text[0] not in "./~" and not text.endswith("/")
        if plain and (parts[-1].isdigit() or all(part.isupper() for part in parts)):  # HTTP/2, TCP/IP, 24/7
            return False
        return any(part.strip(".~") for part in parts)
    return text in _KNOWN_NAMES or extension(text).lower() in _ENDINGS or bool(re.fullmatch(r"\.[a-z][\w.-]+", text))


def extension(path: str) -> str:
    """The letters behind the last dot of a file name, or nothing: `1.2`, `e.g` and sentences have no extension."""
    stem, dot, ending = posixpath.basename(path).rpartition(".")
    named = dot and stem and re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,9}", ending) and len(stem + ending) > 2
    return ending if named or (stem == "*" and ending.isalnum()) else ""


def tidy(path: str) -> str:
    """A path without `./`, doubled slashes and a last slash. What leads out of the workspace stays as it was said."""
    leads_out = path.startswith(("../", "/", "~")) and not path.endswith("/")
    return path.strip() if leads_out else posixpath.normpath(path.strip())


def join(folder: str, name: str) -> str:
    """The path of a name in a folder."""
    return posixpath.normpath(f"{folder}/{name}")


def folder_of(path: str) -> str:
    """The folder that a path is in; `.` for the workspace itself."""
    return posixpath.dirname(path) or "."


def is_readme(path: str) -> bool:
    """Whether a path is a README of any ending and case."""
    return posixpath.basename(path).lower().partition(".")[0] == "readme"


def is_code(path: str) -> bool:
    """Whether a path names code or data: lines, not sentences, are what is worth showing of it."""
    name = posixpath.basename(path)
    return posixpath.splitext(name)[1][1:].lower() in _CODE_ENDINGS or name in _CODE_NAMES


def is_text_file(path: str) -> bool:
    """Whether a name looks like text that a person wrote."""
    ending = extension(path).lower()
    return (ending in _ENDINGS and ending not in _NOT_TEXT.split()) or posixpath.basename(path) in _KNOWN_NAMES
