"""Providers by name."""

import pytest

from ditto_core.errors import InferError, InvalidInputError
from ditto_core.workers.infer.providers.registry import ProviderRegistry
from ditto_core.workers.infer.providers.scripted import ScriptedProvider

ONE, OTHER = ScriptedProvider(["one"]), ScriptedProvider(["other"])


def test_a_provider_is_found_under_its_exact_name() -> None:
    registry = ProviderRegistry({"one": ONE, "other": OTHER})
    assert registry.get("other") is OTHER
    with pytest.raises(InferError):
        registry.get("Other")


def test_the_sole_provider_needs_no_name() -> None:
    assert ProviderRegistry({"one": ONE}).get() is ONE


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(InferError) as caught:
        ProviderRegistry({"openai": ONE, "offline": OTHER}).get("ofline")
    assert caught.value.code == "PROVIDER_NOT_FOUND"
    assert "openai, offline" in caught.value.message
    assert caught.value.hint == "Did you mean offline?"


@pytest.mark.parametrize("providers", [{}, {"one": ONE, "other": OTHER}])
def test_no_name_is_not_enough_for_none_or_several(providers: dict[str, ScriptedProvider]) -> None:
    with pytest.raises(InferError) as caught:
        ProviderRegistry(providers).get()
    assert caught.value.code == "PROVIDER_NOT_FOUND"
    assert all(name in caught.value.message for name in providers)


def test_a_name_is_not_given_twice() -> None:
    registry = ProviderRegistry({"one": ONE})
    with pytest.raises(InvalidInputError, match="'one' is registered already"):
        registry.register("one", OTHER)
    assert registry.get("one") is ONE


@pytest.mark.parametrize("name", ["", "  "])
def test_a_name_is_not_empty(name: str) -> None:
    with pytest.raises(InvalidInputError):
        ProviderRegistry({name: ONE})


def test_a_registration_is_taken_away_once() -> None:
    registry = ProviderRegistry()
    unregister = registry.register("one", ONE)
    assert unregister() is True
    assert unregister() is False
    assert registry.names() == ()


def test_an_old_registration_does_not_take_away_a_new_one_of_the_same_name() -> None:
    registry = ProviderRegistry()
    old = registry.register("one", ONE)
    old()
    registry.register("one", OTHER)
    assert old() is False
    assert registry.get("one") is OTHER


def test_an_empty_name_does_not_mean_the_sole_provider() -> None:
    with pytest.raises(InferError):
        ProviderRegistry({"one": ONE}).get("")


def test_a_built_in_provider_is_found_by_its_name_only() -> None:
    registry = ProviderRegistry({"one": ONE}, built_in={"other": OTHER})
    assert registry.get("other") is OTHER
    assert registry.get() is ONE
    assert registry.names() == ("one", "other")
    with pytest.raises(InferError, match="one, other"):
        registry.get("ghost")


def test_a_registered_provider_goes_before_a_built_in_one_of_its_name() -> None:
    registry = ProviderRegistry(built_in={"one": OTHER})
    unregister = registry.register("one", ONE)
    assert registry.get("one") is ONE
    unregister()
    assert registry.get("one") is OTHER
