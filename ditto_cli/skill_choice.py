"""Which skills a command line names, and whether it may load them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from ditto_cli.assembly import Assembly
from ditto_cli.configuration import is_trusted
from ditto_cli.failure import UsageError
from ditto_cli.options import Globals
from ditto_cli.skill_folder import Found, Skill, find_skills, is_path, read_skill
from ditto_core.contracts.context import ContextItem
from ditto_core.contracts.message import Reference
from ditto_core.errors import ConfigError
from ditto_core.nearest import did_you_mean

TRUST_HINT = (
    "Look at it with ditto skill show, then add --trust-project or set DITTO_TRUST_PROJECT=1; or name its path."
)


class Chosen(NamedTuple):
    """The skills, the assembly in which they are granted, and what a person should know."""

    skills: tuple[Skill, ...]
    assembly: Assembly
    notes: tuple[str, ...] = ()


def chosen_skills(assembly: Assembly, options: Globals, named: Sequence[str]) -> Chosen:
    """The skills of names and paths, each once.

    Whoever names a skill grants it, and a path is also the word that it is trusted; a name is not. Deny rules still
    win. Raises UsageError, ConfigError, PermissionDeniedError and SandboxFileError.
    """
    skills: dict[str, Skill] = {}
    notes: dict[str, None] = {}
    for word in named:
        skill, clashes = _named(assembly, options, word)
        notes |= dict.fromkeys(clashes)
        if skills.setdefault(skill.name, skill).path != skill.path:
            raise UsageError(f"{skills[skill.name].path} and {skill.path} are both called {skill.name}")
    for name in skills:
        assembly = assembly.granting("skill", name, "command line")
        assembly.sandbox.require("skill", name)
    return Chosen(tuple(skills.values()), assembly, tuple(notes))


def found_skill(found: Found, name: str) -> Skill:
    """The skill of a name. Raises ConfigError for a broken one, UsageError that names the nearest for none."""
    if name in found.skills:
        return found.skills[name]
    for broken in found.broken:
        if broken.name == name:
            raise ConfigError(f"this skill is broken: {broken.reason}", where=broken.path)
    hint = did_you_mean(name, found.skills) or "ditto skill list shows them; a path has a slash, as in ./NAME."
    raise UsageError(f"there is no skill {name[:80]!r}", hint=hint)


def skill_item(skill: Skill) -> ContextItem:
    """A skill as Context holds it."""
    from urllib.parse import quote

    metadata = {"skill": skill.name, "path": skill.path, "description": skill.description}
    return ContextItem(
        id=f"skill:{skill.name}", content=skill.text, source=Reference(uri=quote(skill.path)), metadata=metadata
    )


def clashes_of(found: Found, *names: str) -> list[str]:
    """One line for each skill whose name a nearer one has; only of `names` when there are any."""
    return [
        f"two skills are called {skill.name}: {found.skills[skill.name].path} is used, {skill.path} is not"
        for skill in found.hidden
        if not names or skill.name in names
    ]


def _named(assembly: Assembly, options: Globals, word: str) -> tuple[Skill, list[str]]:
    files = assembly.sandbox.files
    if not word.strip():
        raise UsageError("the name of the skill is empty")
    if is_path(word):
        return read_skill(files, word), []
    found = find_skills(files)
    skill = found_skill(found, word)
    if not is_trusted(options, os.environ):
        raise ConfigError("the skills of this project are not trusted", where=skill.path, hint=TRUST_HINT)
    return skill, clashes_of(found, word)
