"""The providers of a process by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ditto_core.contracts.ports import ModelProvider
from ditto_core.errors import InferError, InvalidInputError
from ditto_core.nearest import did_you_mean


class ProviderRegistry:
    """Names are exact. The Runtime and INFER of one set of services share one registry.

    Those in `built_in` are found by their name only, and only while no other has it: they do not count where a request
    names none.
    """

    def __init__(
        self,
        providers: Mapping[str, ModelProvider] | None = None,
        *,
        built_in: Mapping[str, ModelProvider] | None = None,
    ) -> None:
        self._providers: dict[str, ModelProvider] = {}
        self._built_in = dict(built_in or {})
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
        """The registered names, in order of registration, then the built-in ones."""
        return tuple({**self._providers, **self._built_in})

    def get(self, name: str | None = None) -> ModelProvider:
        """The provider of this name; without a name the sole one. Raises InferError PROVIDER_NOT_FOUND."""
        if name is None and len(self._providers) == 1:
            return next(iter(self._providers.values()))
        found = None if name is None else self._providers.get(name, self._built_in.get(name))
        if found is None:
            raise self._not_found(name)
        return found

    def _not_found(self, name: str | None) -> InferError:
        names = self.names()
        hint = did_you_mean(name, names) if name else None
        if name is not None:
            message = f"no model provider is named {name[:80]!r}; there are: {', '.join(names) or 'none'}"
        elif self._providers:
            message = f"no model provider was chosen, and there are several: {', '.join(self._providers)}"
        else:
            message = "no model provider is configured"
            hint = f"Name a built-in one: {', '.join(self._built_in)}." if self._built_in else None
        return InferError(message, code="PROVIDER_NOT_FOUND", hint=hint)
