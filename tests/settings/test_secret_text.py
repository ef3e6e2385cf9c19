"""A secret shows itself only when it is asked to."""

import copy
import json
import logging
import pickle
from dataclasses import asdict, dataclass

import pytest

from ditto_core.settings.secret_text import SecretText

CANARY = "canary-value"


@dataclass
class Holder:
    key: SecretText


def test_no_usual_way_of_printing_shows_it() -> None:
    secret = SecretText(CANARY)
    record = logging.LogRecord("x", 10, "x", 1, "%s %r", (secret, secret), None)
    shown = [repr(secret), str(secret), f"{secret}", f"{secret!r}", "%s" % secret, "{}".format(secret)]  # noqa: UP031, UP032  # each way is the subject
    shown += [
        repr([secret]),
        repr({"k": secret}),
        repr(Holder(secret)),
        record.getMessage(),
        repr(asdict(Holder(secret))),
    ]
    assert not [text for text in shown if "canary" in text]
    assert not hasattr(secret, "__dict__")


def test_it_is_revealed_on_purpose() -> None:
    assert SecretText(CANARY).reveal() == CANARY


def test_it_is_not_dumped_joined_or_pickled() -> None:
    secret = SecretText(CANARY)
    with pytest.raises(TypeError):
        json.dumps({"k": secret})
    with pytest.raises(TypeError):
        "Bearer " + secret  # type: ignore[operator]  # the point of the test
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def test_it_compares_and_copies_like_a_value_and_cannot_change() -> None:
    secret = SecretText(CANARY)
    assert secret == SecretText(CANARY)
    assert secret != SecretText("other")
    assert secret != CANARY
    assert len({secret, SecretText(CANARY)}) == 1
    assert copy.deepcopy(secret) is copy.copy(secret) is secret
    assert not SecretText("")
    with pytest.raises(AttributeError):
        secret._text = "x"
