"""Skills: folders with a SKILL.md, found in the workspace and read through its sandbox."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ditto_cli.completion import SKILL_ROOTS
from ditto_core.errors import ConfigError, DittoError, PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.files import WorkspaceFiles
from ditto_core.sandbox.text import clean_line
from ditto_core.settings.yaml_document import YamlDocument
from ditto_core.settings.yaml_file import load_yaml

FILE: Final = "SKILL.md"
MAX_BYTES: Final = 1024 * 1024
MAX_SKILLS: Final = 1000
"""Bytes of one file and folders of one root."""

_NAME = re.compile(r"[^\W_](?:[\w .-]{0,62}[\w])?")
_NAME_RULE = "a name is 1 to 64 letters, digits, blanks, -, _ and ., a letter or digit first"


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as its file says. `front` is the whole front matter, `text` what follows it, `path` the file's."""

    name: str
    description: str
    path: str
    text: str
    front: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BrokenSkill:
    """A skill that cannot be used. `name` is its folder's."""

    name: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """What there is. `skills` by name, the nearest each; `hidden` are skills whose name a nearer one has."""

    skills: Mapping[str, Skill]
    hidden: tuple[Skill, ...]
    broken: tuple[BrokenSkill, ...]


def is_path(text: str) -> bool:
    """Whether a word of the command line names a skill by its path."""
    return "/" in text or text in (".", "..") or text.casefold().endswith((".md", ".markdown"))


def find_skills(files: WorkspaceFiles) -> Found:
    """The skills of the workspace. Raises PermissionDeniedError when nothing may be read."""
    files.decide("read", ".").require()
    skills: dict[str, Skill] = {}
    hidden: list[Skill] = []
    broken: list[BrokenSkill] = []
    for each in _each(files):
        if isinstance(each, BrokenSkill):
            broken.append(each)
        elif each.name not in skills:
            skills[each.name] = each
        elif each.text != skills[each.name].text:  # the same skill, linked into several places, is no clash
            hidden.append(each)
    return Found(skills, tuple(hidden), tuple(broken))


def read_skill(files: WorkspaceFiles, path: str) -> Skill:
    """The skill at a path: its folder, or a Markdown file.

    A file that is not called SKILL.md may come without front matter; its name is then the file's. Raises ConfigError
    for a skill that is broken, PermissionDeniedError and SandboxFileError.
    """
    if not path.casefold().endswith((".md", ".markdown")):
        path = f"{path.rstrip('/')}/{FILE}"
    file = files.read_text(path, MAX_BYTES)
    shown = clean_line(files.decide("read", path).name, 1000)
    if file.truncated:
        raise ConfigError(f"is larger than {MAX_BYTES} bytes", where=shown)
    last = shown.rpartition("/")[2]
    if last != FILE and not _is_fence(file.text.split("\n", 1)[0]):
        return Skill(_checked_name(last.rpartition(".")[0], shown), "", shown, file.text)
    return parse_skill(file.text, shown)


def parse_skill(source: str, where: str) -> Skill:
    """A skill out of the text of its file. Raises ConfigError with the place of what is wrong."""
    front, text = _parted(source, where)
    document = load_yaml(front, where, first_line=2, ambiguous="text")
    name = _checked_name(_text(document, "name"), document.at(("name",)))
    return Skill(name, _text(document, "description"), where, text, document.data)


def _each(files: WorkspaceFiles) -> Iterator[Skill | BrokenSkill]:
    for root in SKILL_ROOTS:
        try:
            entries = files.list_dir(root, MAX_SKILLS).entries
        except SandboxFileError:
            continue  # there is no such folder
        except PermissionDeniedError as error:
            yield BrokenSkill(root, root, error.message)
            continue
        for entry in entries:
            if entry.kind in ("folder", "link"):
                yield _read(files, root, entry.name)


def _read(files: WorkspaceFiles, root: str, name: str) -> Skill | BrokenSkill:
    path = f"{root}/{name}"
    try:
        return read_skill(files, path)
    except DittoError as error:
        return BrokenSkill(clean_line(name, 80), clean_line(path, 1000), clean_line(error.message, 300))


def _parted(source: str, where: str) -> tuple[str, str]:
    """Front matter and what follows it."""
    lines = source.split("\n")
    if not _is_fence(lines[0]):
        raise ConfigError("the file must begin with front matter: a line ---", where=f"{where}:1")
    end = next((index for index, line in enumerate(lines) if index and _is_fence(line)), None)
    if end is None:
        raise ConfigError("the front matter has no end: a second line ---", where=f"{where}:1")
    return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :]).strip("\r\n")


def _is_fence(line: str) -> bool:
    return line.rstrip() == "---"


def _text(document: YamlDocument, key: str) -> str:
    value = document.data.get(key)
    if value is None:
        raise document.error("required, but missing", (key,))
    if not isinstance(value, str):
        raise document.error("text is needed: quote the value", (key,))
    if not value.strip():
        raise document.error("is empty", (key,))
    return value.strip()


def _checked_name(name: str, where: str) -> str:
    if not _NAME.fullmatch(name) or not name.isprintable():
        raise ConfigError(_NAME_RULE, where=where, key="name")
    return name
