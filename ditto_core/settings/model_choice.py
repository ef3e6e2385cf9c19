"""Which provider and model a run uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ditto_core.errors import ConfigError
from ditto_core.nearest import did_you_mean
from ditto_core.settings.deployment import read_key
from ditto_core.settings.environment import Environment
from ditto_core.settings.provider import BUILT_IN, DEFAULT_BASE_URLS, ProviderConfig, ProviderKind
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.variables import MODEL, MODEL_PROVIDER, PROVIDERS, provider_of, provider_variable

PRESETS: Final[Mapping[str, tuple[ProviderKind, str]]] = {
    "openai": ("openai-compatible", "OPENAI_API_KEY"),
    "anthropic": ("anthropic", "ANTHROPIC_API_KEY"),
    "gemini": ("gemini", "GEMINI_API_KEY"),
}
"""Vendors that `--model NAME/MODEL` reaches with the usual variable alone: kind and variable."""

OFFLINE_NOTE = (
    "no model is configured, so the built-in offline provider answers with extracts of what it reads; "
    "it is not a language model (to choose one: --model, or ditto init and .env; see docs/configuration.md)"
)


class ModelChoice(NamedTuple):
    """The provider's name and the model. `notes` are for a person, on stderr.

    `config` is the provider's configuration, for a preset made on the spot; None for `offline` and `scripted`, whose
    `model` is `offline` and the script's file.
    """

    provider: str
    model: str
    config: ProviderConfig | None = None
    preset: bool = False
    notes: tuple[str, ...] = ()


def choose_model(config: RuntimeConfig, requested: str | None, process_env: Mapping[str, str]) -> ModelChoice:
    """What was `requested` (`PROVIDER/MODEL`, or a provider that has a model) → the default → the sole provider.

    Without any provider it is `offline`, with a note; never because a configured one was ignored as untrusted.
    Raises ConfigError with the ways out.
    """
    if requested is not None:
        return _requested(config, requested, process_env)
    if config.model is not None:
        return _named(config, config.model.provider, config.model.model, process_env, preset=False)
    if len(config.providers) == 1:
        return _own_model(config, next(iter(config.providers)))
    if config.providers:
        raise ConfigError(
            f"several providers and no default model: {', '.join(config.providers)}",
            where=PROVIDERS,
            hint=f"Use --model PROVIDER/MODEL, or set {MODEL_PROVIDER} and {MODEL}.",
        )
    _refuse_ignored(config)
    return ModelChoice("offline", "offline", notes=(OFFLINE_NOTE, *_preset_note(process_env)))


def _requested(config: RuntimeConfig, requested: str, process_env: Mapping[str, str]) -> ModelChoice:
    provider, slash, model = requested.partition("/")
    if slash and not model.strip():
        raise ConfigError("no model after the slash", where="--model", hint="Write PROVIDER/MODEL.")
    if slash:
        return _named(config, provider, model, process_env, preset=True)
    if provider in config.providers:
        return _own_model(config, provider)
    if provider == "offline":
        return ModelChoice("offline", "offline")
    if provider in PRESETS:
        _refuse_ignored(config, provider)
    if provider in (*PRESETS, "scripted"):
        example = "scripted/FILE" if provider == "scripted" else f"{provider}/MODEL"
        raise ConfigError(f"which model of {provider}?", where="--model", hint=f"Write {example}.")
    raise _unknown(config, provider)


def _named(
    config: RuntimeConfig, provider: str, model: str, process_env: Mapping[str, str], *, preset: bool
) -> ModelChoice:
    if provider in config.providers:
        return ModelChoice(provider, model, config.providers[provider])
    if provider == "offline" and model != "offline":
        raise ConfigError("offline has no models", where="--model", hint="Write --model offline.")
    if provider in BUILT_IN:
        return ModelChoice(provider, model)
    if preset and provider in PRESETS:
        return _preset(config, provider, model, process_env)
    raise _unknown(config, provider)


def _own_model(config: RuntimeConfig, provider: str) -> ModelChoice:
    found = config.providers[provider]
    if found.model is not None:
        return ModelChoice(provider, found.model, found)
    if found.kind == "offline":
        return ModelChoice(provider, "offline", found)
    variable = provider_variable(provider, "MODEL")
    raise ConfigError(
        f"the provider {provider} has no model of its own",
        where=variable,
        key=variable,
        hint=f"Use --model {provider}/MODEL, or set {variable}.",
    )


def _preset(config: RuntimeConfig, provider: str, model: str, process_env: Mapping[str, str]) -> ModelChoice:
    kind, variable = PRESETS[provider]
    key = read_key(Environment.layered({variable: process_env.get(variable, "")}), variable)
    if key is None:
        _refuse_ignored(config, provider)
        raise ConfigError(
            f"the provider {provider} is not configured, and {variable} is not set in the process environment",
            where="--model",
            hint=f"Set {variable}, or configure {provider} in {PROVIDERS}.",
        )
    made = ProviderConfig(provider, kind, DEFAULT_BASE_URLS[kind], key, model)
    return ModelChoice(provider, model, made, preset=True)


def _preset_note(process_env: Mapping[str, str]) -> tuple[str, ...]:
    ready = [name for name, (_, variable) in PRESETS.items() if process_env.get(variable)]
    return tuple(f"{PRESETS[name][1]} is set: --model {name}/MODEL uses it" for name in ready[:1])


def _unknown(config: RuntimeConfig, provider: str) -> ConfigError:
    _refuse_ignored(config, provider)
    known = (*config.providers, *BUILT_IN, *PRESETS)
    listed = f"configured are {', '.join(config.providers)}" if config.providers else "none is configured"
    usable = ["offline", "scripted/FILE", *(f"{name}/MODEL" for name in config.providers)]
    meant = did_you_mean(provider, known)
    return ConfigError(
        f"unknown provider {provider[:60]!r}; {listed}",
        where="--model",
        hint=f"{meant} " * bool(meant) + f"Usable are {', '.join(usable)}.",
    )


def _refuse_ignored(config: RuntimeConfig, provider: str | None = None) -> None:
    """Raises when an untrusted project enables a provider: what it configured must not be silently replaced."""
    for ignored in config.ignored:
        owner = provider_of(ignored.name)
        if ignored.name == PROVIDERS or (owner and provider in (None, owner[0])):
            raise ConfigError(
                f"{ignored.name} {ignored.reason}, but this project is not trusted",
                where=ignored.where,
                key=ignored.name,
                hint="Look at the file; then --trust-project, or DITTO_TRUST_PROJECT=1, lets it count.",
            )
