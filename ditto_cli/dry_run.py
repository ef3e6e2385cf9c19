"""`--dry-run`: what a run would do, without a model call or a side effect."""

from __future__ import annotations

import json
from typing import Any

from ditto_cli.assembly import Assembly
from ditto_cli.offer import is_granted
from ditto_cli.outcome import Outcome
from ditto_core.contracts.react import ReactInput
from ditto_core.contracts.text import public_text
from ditto_core.settings.model_choice import ModelChoice


def plan(request: ReactInput, choice: ModelChoice, assembly: Assembly, limits: dict[str, Any]) -> Outcome:
    """The messages, the tools with their schemas, permissions, model, limits and the estimated input."""
    messages = [message.to_wire() for message in request.messages]
    actions = [action.to_wire() for action in request.actions]
    result = {
        "model": {"provider": choice.provider, "model": choice.model},
        "messages": messages,
        "tools": actions,
        "permissions": {tool.name: is_granted(assembly.sandbox, tool) for tool in assembly.tools.definitions()},
        "limits": limits,
        "estimatedInputTokens": -(-len(json.dumps([messages, actions], ensure_ascii=False).encode()) // 4),
    }
    return Outcome(text=_page(request, result), result=result)


def _page(request: ReactInput, result: dict[str, Any]) -> str:
    model, limits = result["model"], result["limits"]
    lines = [
        "Dry run: no model is called and nothing is changed.",
        "",
        f"Model: {model['provider']}/{model['model']}",
        "Limits: " + ", ".join(f"{name} {'none' if value is None else value}" for name, value in limits.items()),
        f"Estimated input: {result['estimatedInputTokens']} tokens",
        "",
        "Tools:",
        *(
            f"  {name}: {'offered' if _offered(name, request) else 'permitted' if ok else 'not granted'}"
            for name, ok in result["permissions"].items()
        ),
    ]
    for action in request.actions:
        lines += ["", f"Schema of {action.name}:", f"  {json.dumps(dict(action.input_schema), ensure_ascii=False)}"]
    for message in request.messages:
        lines += ["", f"Message, {message.role}:", public_text(message)]
    return "\n".join(lines)


def _offered(name: str, request: ReactInput) -> bool:
    return any(action.name == name for action in request.actions)
