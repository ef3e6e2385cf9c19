"""A secret in memory: readable only on purpose."""

from __future__ import annotations

from typing import NoReturn


class SecretText:
    """Text that no repr, str, format, log or dump shows. `reveal()` is the one way to it.

    It is no `str`, so it cannot be joined into a message by accident, and `json.dumps` refuses it.
    """

    __slots__ = ("_text",)
    _text: str

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", text)

    def reveal(self) -> str:
        """The text itself. Call it where the secret leaves for the place it belongs to, and nowhere else."""
        return self._text

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a SecretText cannot be changed")

    def __repr__(self) -> str:
        return "SecretText('**********')"

    def __str__(self) -> str:
        return "**********"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretText) and self._text == other._text

    def __hash__(self) -> int:
        return hash(("SecretText", self._text))

    def __copy__(self) -> SecretText:
        return self

    def __deepcopy__(self, memo: object) -> SecretText:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SecretText is not pickled: it would leave memory in plain text")
