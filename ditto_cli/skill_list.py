"""What `ditto skill list` and `ditto skill show` do."""

from __future__ import annotations

import json
import os
from typing import Any

from ditto_cli.assembly import Assembly
from ditto_cli.completion import SKILL_ROOTS
from ditto_cli.configuration import is_trusted
from ditto_cli.outcome import Outcome
from ditto_cli.run_start import warn_of
from ditto_cli.session import Session
from ditto_cli.skill_choice import clashes_of, found_skill
from ditto_cli.skill_folder import BrokenSkill, Found, Skill, find_skills, is_path, read_skill
from ditto_core.sandbox.text import clean_line, clean_text

UNTRUSTED_NOTE = "the skills of this project are not trusted: loading one by name needs --trust-project"


def list_body(session: Session, assembly: Assembly) -> Outcome:
    """Every skill and in which state it is."""
    warn_of(session, assembly)
    found, trusted = find_skills(assembly.sandbox.files), is_trusted(session.options, os.environ)
    _tell(session, found, trusted=trusted)
    skills = [_listed(skill, assembly, trusted=trusted) for skill in found.skills.values()]
    rows = [
        *skills,
        *({**_listed(skill, assembly, trusted=trusted), "state": "hidden"} for skill in found.hidden),
        *(_broken(broken) for broken in found.broken),
    ]
    width = max((len(row["name"]) for row in rows), default=0)
    return Outcome(text="\n".join(_line(row, width) for row in rows), result=rows)


def show_body(session: Session, assembly: Assembly, word: str) -> Outcome:
    """One skill, for a person to look at: it is not loaded, so it need not be trusted."""
    warn_of(session, assembly)
    files = assembly.sandbox.files
    skill = read_skill(files, word) if is_path(word) else found_skill(find_skills(files), word)
    trusted = is_path(word) or is_trusted(session.options, os.environ)
    shown = {**_listed(skill, assembly, trusted=trusted), "frontMatter": dict(skill.front), "instructions": skill.text}
    return Outcome(text=_page(shown), result=shown)


def _tell(session: Session, found: Found, *, trusted: bool) -> None:
    if not found.skills and not found.broken:
        session.warn(f"there are no skills in {', '.join(SKILL_ROOTS)}")
    if found.skills and not trusted:
        session.warn(UNTRUSTED_NOTE)
    for clash in clashes_of(found):
        session.warn(clash)


def _listed(skill: Skill, assembly: Assembly, *, trusted: bool) -> dict[str, Any]:
    decision = assembly.sandbox.decide("skill", skill.name)
    denied = not decision.allowed and not (decision.askable and decision.rule == "not granted")
    return {
        "name": skill.name,
        "state": "denied" if denied else "ready" if trusted else "untrusted",
        "description": skill.description,
        "path": skill.path,
    }


def _broken(broken: BrokenSkill) -> dict[str, Any]:
    return {"name": broken.name, "state": "broken", "reason": broken.reason, "path": broken.path}


def _line(row: dict[str, Any], width: int) -> str:
    said = row["reason"] if row["state"] == "broken" else row["description"]
    return f"{row['name']:{width}}  {row['state']:9}  {clean_line(said, 200)}".rstrip()


def _page(shown: dict[str, Any]) -> str:
    front = shown["frontMatter"]
    others = [
        f"{clean_line(key, 80)}: {clean_line(value if isinstance(value, str) else json.dumps(value), 400)}"
        for key, value in front.items()
        if key not in ("name", "description")
    ]
    lines = [
        f"{shown['name']}: {shown['state']}",
        *([clean_line(shown["description"], 2000)] if shown["description"] else []),
        f"file: {shown['path']}",
        *others,
        "",
        clean_text(shown["instructions"]),
    ]
    return "\n".join(lines)
