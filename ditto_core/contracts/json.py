"""JSON values as contracts carry them: checked once, read-only from then on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NoReturn, Self, TypeAlias

from pydantic_core import core_schema

from ditto_core.contracts.check import Instead
from ditto_core.errors import InvalidInputError

MAX_DEPTH = 100
"""Levels of lists and objects inside one value. Real data has a dozen; a cycle has more than any limit."""


MAX_BITS = 1024
"""Of a whole number. Python refuses to write one of thousands of digits, and other readers make 64 bits of it."""


class ReadOnlyDict(dict[str, Any]):
    """A dict that cannot be changed. What it holds is its maker's business."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this object is read-only; copy it with dict(...) to change it")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class FrozenObject(ReadOnlyDict):
    """A JSON object that cannot be changed. It is a `dict`, so comparing and `json.dumps` work as usual.

    `freeze_json` makes them, so what is in one has been checked.
    """

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("freeze_json(value) makes read-only JSON")

    def __reduce__(self) -> tuple[Callable[[object], Any], tuple[dict[str, Any]]]:
        return freeze_json, (dict(self),)


class FrozenArray(list[Any]):
    """A JSON array that cannot be changed. It is a `list`, so comparing and `json.dumps` work as usual.

    `freeze_json` makes them, so what is in one has been checked.
    """

    __slots__ = ()

    def __init__(self, *_: object) -> None:
        raise TypeError("freeze_json(value) makes read-only JSON")

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this JSON array is read-only; copy it with list(...) to change it")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __copy__(self) -> FrozenArray:
        return self

    def __deepcopy__(self, memo: object) -> FrozenArray:
        return self

    def __reduce__(self) -> tuple[Callable[[object], Any], tuple[list[Any]]]:
        return freeze_json, (list(self),)


_Place: TypeAlias = tuple["_Place", object] | None
"""Where a value is: the place around it, and the last part of its path. Only an error writes the path out."""


def freeze_json(value: object) -> Any:
    """Returns `value` as read-only JSON: FrozenObject, FrozenArray, str, int, float, bool or None.

    What is frozen already is returned as it is. Raises InvalidInputError with the path of the first thing that JSON
    cannot say: functions, dates, bytes, sets, NaN and infinities, lone surrogates, keys that are not text, more than
    MAX_DEPTH levels (so also a cycle).
    """
    return _frozen(value, None, 0)


def _frozen(value: object, place: _Place, depth: int) -> Any:
    if value is None or isinstance(value, bool | FrozenObject | FrozenArray):
        return value
    if isinstance(value, int):
        return _checked_number(value, place)
    if isinstance(value, str):
        return _checked_text(value, place)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInputError("not a finite number, JSON has no NaN or infinity", path=_path(place))
        return value
    if depth >= MAX_DEPTH:
        raise InvalidInputError(f"nested deeper than {MAX_DEPTH} levels, or a cycle", path=_path(place)[:80])
    if isinstance(value, Mapping):
        made = FrozenObject.__new__(FrozenObject)
        dict.update(made, {_key(key, place): _frozen(item, (place, key), depth + 1) for key, item in value.items()})
        return made
    if isinstance(value, list | tuple):
        array = FrozenArray.__new__(FrozenArray)
        list.extend(array, [_frozen(item, (place, index), depth + 1) for index, item in enumerate(value)])
        return array
    raise InvalidInputError(f"{type(value).__name__} is not JSON", path=_path(place))


def _path(place: _Place) -> str:
    path = ""
    while place is not None:
        place, part = place
        path = (f"[{part}]" if isinstance(part, int) else f".{part}") + path
    return "$" + path


def _key(key: object, place: _Place) -> str:
    if not isinstance(key, str):
        raise InvalidInputError(f"a key is {type(key).__name__}, JSON keys are text", path=_path(place))
    return _checked_text(key, place)


def _checked_number(number: int, place: _Place) -> int:
    if number.bit_length() > MAX_BITS:
        raise InvalidInputError(f"a whole number of more than {MAX_BITS} bits", path=_path(place))
    return number


def _checked_text(text: str, place: _Place) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidInputError("holds a lone surrogate, which is not Unicode text", path=_path(place)) from None
    return text


def _freeze_object(value: object) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(f"a JSON object is needed, this is {type(value).__name__}")  # noqa: TRY004  # pydantic reports ValueError with its path
    return _for_pydantic(value)


def _for_pydantic(value: object) -> Any:
    try:
        return freeze_json(value)
    except InvalidInputError as error:
        raise ValueError(error.message) from None


JsonValue: TypeAlias = Annotated[Any, Instead(_for_pydantic, core_schema.any_schema())]
"""Any JSON value, frozen at validation."""

JsonObject: TypeAlias = Annotated[Mapping[str, Any], Instead(_freeze_object, core_schema.dict_schema())]
"""A JSON object, frozen at validation. A string, a list or a missing value is refused, never turned into `{}`."""
