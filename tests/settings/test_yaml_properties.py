"""The YAML reader on random input: data or a ConfigError, never anything else, and no value changed."""

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ditto_core.errors import ConfigError
from ditto_core.settings.yaml_compose import Composer, PurePythonParser, new_parser
from ditto_core.settings.yaml_file import load_yaml

_FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *("a", "b", ": ", ":", "\n", "  ", "- ", "[", "]", "{", "}", ", ", "'", '"', "#", " # c", "|", ">", "? "),
            *("&x ", "*x", "!t ", "!!str ", "---\n", "...\n", "%YAML 1.1\n", "\t", "1", "1.10", "no", "~", "\\", "\\x"),
            *("\r\n", "\x85", "\u2028", "é", "😀", "<<", "=", "@", "`", '"\\U00110000"', "\0", "\ufeff", "-"),
        ]
    ),
    max_size=40,
).map("".join)

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=20,
)
_OBJECTS = st.dictionaries(_TEXT, _JSON, max_size=5)


def outcome(source: str | bytes) -> dict[str, Any] | None:
    try:
        document = load_yaml(source, "f")
    except ConfigError:
        return None
    json.dumps(document.data, allow_nan=False).encode()
    return dict(document.data)


@settings(max_examples=400)
@given(st.binary(max_size=200))
@example(b'a: "\\UFFFFFFFF"')
@example(b'a: "\\ud800"')
def test_any_bytes_are_json_data_or_a_config_error(raw: bytes) -> None:
    outcome(raw)


@settings(max_examples=600)
@given(_FRAGMENTS)
def test_any_shuffle_of_yaml_syntax_is_json_data_or_a_config_error(text: str) -> None:
    outcome(text)


@given(st.text(max_size=100))
def test_any_text_even_with_surrogates_is_json_data_or_a_config_error(text: str) -> None:
    outcome(text)


def quoted(text: str) -> str:
    """A YAML double-quoted scalar; what a YAML file cannot hold raw is escaped."""
    escaped = "".join(
        character if character.isprintable() and character not in '"\\' else f"\\U{ord(character):08X}"
        for character in text
    )
    return f'"{escaped}"'


def block(value: Any, indent: int = 0) -> str:
    """JSON data as block-style YAML."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"\n{pad}{quoted(key)}: {block(item, indent + 1)}" for key, item in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{pad}- {block(item, indent + 1)}" for item in value)
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def flow(value: Any) -> str:
    """JSON data as JSON, with escapes that YAML has too."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def same(left: Any, right: Any) -> bool:
    """Equal, and of the same types: 1 is not 1.0 and not True."""
    return json.dumps(left) == json.dumps(right)


@settings(max_examples=200)
@given(_OBJECTS)
def test_json_data_survives_the_way_through_flow_style(data: dict[str, Any]) -> None:
    assert same(load_yaml(flow(data), "f").data, data)


@settings(max_examples=200)
@given(_OBJECTS)
def test_json_data_survives_the_way_through_block_style(data: dict[str, Any]) -> None:
    assert same(load_yaml(block(data).lstrip("\n"), "f").data, data)


@given(st.from_regex(r"[A-Za-z0-9_.:+~=-]{1,12}", fullmatch=True))
def test_a_plain_scalar_is_its_own_text_or_its_json_value_or_refused(text: str) -> None:
    data = outcome(f"k: {text}")
    if data is None:
        return
    value = data["k"]
    assert value == text if isinstance(value, str) else value == json.loads(text)


@settings(max_examples=300)
@given(_OBJECTS)
def test_both_parsers_give_the_same_data_and_places(data: dict[str, Any]) -> None:
    for text in (flow(data), block(data).lstrip("\n")):
        fast, plain = (
            Composer(text, "f", parser=new_parser(text)),
            Composer(text, "f", parser=PurePythonParser(text)),
        )
        assert same(fast.document(), plain.document())
        assert fast.marks == plain.marks
