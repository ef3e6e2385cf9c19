"""JSON values as contracts carry them: checked once, read-only from then on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, NoReturn, TypeAlias

from pydantic import BeforeValidator, PlainSerializer, WrapValidator

from ditto_core.errors import InvalidInputError

MAX_DEPTH = 100
"""Levels of lists and objects inside one value. Real data has a dozen; a cycle has more than any limit."""


class FrozenObject(dict[str, Any]):
    """A JSON object that cannot be changed. It is a `dict`, so comparing and `json.dumps` work as usual."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this JSON object is read-only; copy it with dict(...) to change it")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> FrozenObject:
        return self

    def __deepcopy__(self, memo: object) -> FrozenObject:
        return self

    def __reduce__(self) -> tuple[type[FrozenObject], tuple[dict[str, Any]]]:
        return FrozenObject, (dict(self),)


class FrozenArray(list[Any]):
    """A JSON array that cannot be changed. It is a `list`, so comparing and `json.dumps` work as usual."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this JSON array is read-only; copy it with list(...) to change it")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __copy__(self) -> FrozenArray:
        return self

    def __deepcopy__(self, memo: object) -> FrozenArray:
        return self

    def __reduce__(self) -> tuple[type[FrozenArray], tuple[list[Any]]]:
        return FrozenArray, (list(self),)


def freeze_json(value: object, path: str = "$", depth: int = 0) -> Any:
    """Returns `value` as read-only JSON: FrozenObject, FrozenArray, str, int, float, bool or None.

    What is frozen already is returned as it is. Raises InvalidInputError with the path of the first thing that JSON
    cannot say: functions, dates, bytes, sets, NaN and infinities, lone surrogates, keys that are not text, more than
    MAX_DEPTH levels (so also a cycle).
    """
    if value is None or isinstance(value, bool | int | FrozenObject | FrozenArray):
        return value
    if isinstance(value, str):
        return _checked_text(value, path)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInputError("not a finite number, JSON has no NaN or infinity", path=path)
        return value
    if depth >= MAX_DEPTH:
        raise InvalidInputError(f"nested deeper than {MAX_DEPTH} levels, or a cycle", path=path[:80])
    if isinstance(value, Mapping):
        return FrozenObject(
            {_key(key, path): freeze_json(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
        )
    if isinstance(value, list | tuple):
        return FrozenArray([freeze_json(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)])
    raise InvalidInputError(f"{type(value).__name__} is not JSON", path=path)


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise InvalidInputError(f"a key is {type(key).__name__}, JSON keys are text", path=path)
    return _checked_text(key, path)


def _checked_text(text: str, path: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidInputError("holds a lone surrogate, which is not Unicode text", path=path) from None
    return text


def _freeze_value(value: object) -> Any:
    return _for_pydantic(value)


def _freeze_object(value: object, _: object) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"a JSON object is needed, this is {type(value).__name__}")  # noqa: TRY004  # pydantic reports ValueError with its path
    return _for_pydantic(value)


def _for_pydantic(value: object) -> Any:
    try:
        return freeze_json(value)
    except InvalidInputError as error:
        raise ValueError(error.message) from None


def _as_is(value: Any) -> Any:
    return value


JsonValue: TypeAlias = Annotated[Any, BeforeValidator(_freeze_value), PlainSerializer(_as_is)]
"""Any JSON value, frozen at validation."""

JsonObject: TypeAlias = Annotated[Mapping[str, Any], WrapValidator(_freeze_object), PlainSerializer(_as_is)]
"""A JSON object, frozen at validation. A string, a list or a missing value is refused, never turned into `{}`."""
