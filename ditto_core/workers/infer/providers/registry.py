"""The providers of a process by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ditto_core.contracts.ports import ModelProvider
from ditto_core.errors import InferError, InvalidInputError
from ditto_core.nearest import did_you_mean


class ProviderRegistry:
    """Names are exact. The Runtime and INFER of one set of services share one registry."""

    def __init__(self, providers: Mapping[str, ModelProvider] | None = None) -> None:
        self._providers: dict[str, ModelProvider] = {}
        for name, provider in (providers or {}).items():
            self.register(name, provider)

    def register(self, name: str, provider: ModelProvider) -> Callable[[], bool]:
        """Adds a provider and returns what takes exactly this registration away: True once, then False.

        Raises InvalidInputError for an empty name and for one that is taken.
        """
        if not name.strip():
            raise InvalidInputError("a provider's name must not be empty")
        if name in self._providers:
            raise InvalidInputError(f"a provider named {name[:80]!r} is registered already")
        self._providers[name] = provider
        active = True

        def unregister() -> bool:
            nonlocal active
            was_active, active = active, False
            if was_active:
                del self._providers[name]
            return was_active

        return unregister

    def names(self) -> tuple[str, ...]:
        """The registered names, in order of registration."""
        return tuple(self._providers)

    def get(self, name: str | None = None) -> ModelProvider:
        """The provider of this name; without a name the sole one. Raises InferError PROVIDER_NOT_FOUND."""
        if name is None and len(self._providers) == 1:
            return next(iter(self._providers.values()))
        if name is not None and name in self._providers:
            return self._providers[name]
        raise self._not_found(name)

    def _not_found(self, name: str | None) -> InferError:
        known = ", ".join(self._providers) or "none"
        if name is not None:
            message = f"no model provider is named {name[:80]!r}; there are: {known}"
        elif self._providers:
            message = f"no model provider was chosen, and there are several: {known}"
        else:
            message = "no model provider is registered"
        hint = did_you_mean(name, self._providers) if name else None
        return InferError(message, code="PROVIDER_NOT_FOUND", hint=hint)
