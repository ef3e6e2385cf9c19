"""The strict YAML reader: what it takes, what it refuses, and where it says the trouble is."""

import os
from pathlib import Path

import pytest

from ditto_core.errors import ConfigError
from ditto_core.settings.yaml_document import MAX_DEPTH
from ditto_core.settings.yaml_file import MAX_BYTES, load_yaml, load_yaml_file


def refusal(text: str | bytes, **options: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_yaml(text, "f.yaml", **options)  # type: ignore[arg-type]  # options are checked where they are written
    return caught.value


@pytest.mark.parametrize("text", ["", " \n\n", "# only a comment\n", "---\n", "---\n# nothing\n...\n", "\ufeff"])
def test_nothing_is_an_empty_mapping(text: str) -> None:
    assert load_yaml(text, "f").data == {}


def test_json_values_keep_their_types() -> None:
    text = 'int: 1\nneg: -7\nfloat: 1.5\nexp: 1e-3\nyes: "yes"\nt: true\nf: false\nn: null\nlist: [1, "a"]\n'.replace(
        "yes: ", "'yes': "
    )
    assert load_yaml(text, "f").data == {
        "int": 1,
        "neg": -7,
        "float": 1.5,
        "exp": 0.001,
        "yes": "yes",
        "t": True,
        "f": False,
        "n": None,
        "list": [1, "a"],
    }


@pytest.mark.parametrize(
    "text",
    ["plain", "two words", "-y", "1.2.3", "127.0.0.1", "a:b", "a=b", "::1", "read:docs/**", "x~", "1 a", "v010", "NO!"],
)
def test_what_is_plainly_text_stays_as_written(text: str) -> None:
    assert load_yaml(f"k: {text}", "f").data == {"k": text}


@pytest.mark.parametrize(
    "scalar",
    [
        *("no", "No", "on", "OFF", "yes", "True", "FALSE", "~", "Null", "010", "0123456", "0x1F", "0o17", "0b1"),
        *("1_000", "12:30", "1:2:3.5", "+1", "1.", ".5", ".inf", "-.INF", ".NaN", "2024-01-02", "="),
        *("2024-01-02T10:00:00Z", "<<"),
    ],
)
def test_what_yaml_versions_read_differently_must_be_quoted(scalar: str) -> None:
    error = refusal(f"a: 1\nk: {scalar}\n")
    assert error.where == "f.yaml:2:4"
    assert error.key == "k"
    assert "quote the value" in error.message
    assert load_yaml(f"k: '{scalar}'", "f").data == {"k": scalar}


def test_ambiguous_scalars_can_be_kept_as_text_for_files_of_other_readers() -> None:
    document = load_yaml("day: 2024-01-02\nflag: yes\nversion: 1.10\n", "SKILL.md", ambiguous="text")
    assert document.data == {"day": "2024-01-02", "flag": "yes", "version": 1.1}
    assert document.marks["version",].text == "1.10"


@pytest.mark.parametrize("key", ["on", "no", "1", "1.5", "true", "null", "2024-01-02", "~"])
def test_a_key_that_is_no_text_must_be_quoted(key: str) -> None:
    assert "quote the key" in refusal(f"{key}: x").message
    assert load_yaml(f"'{key}': x", "f").data == {key: "x"}


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3:1", "twice, first in line 1"),
        ("a:\n  b: 1\n  'b': 2\n", "f.yaml:3:3", "twice, first in line 2"),
        ("a: &x 1\n", "f.yaml:1:4", "anchors"),
        ("a: *x\n", "f.yaml:1:4", "aliases"),
        ("a: &a [*a]\n", "f.yaml:1:4", "anchors"),
        ("&k a: 1\n", "f.yaml:1:1", "anchors"),
        ("a: 1\n<<: {b: 1}\n", "f.yaml:2:1", "merge keys"),
        ("a: !!python/object/apply:os.system [id]\n", "f.yaml:1:4", "tags"),
        ("a: !!str 1\n", "f.yaml:1:4", "tags"),
        ("a: !mine {b: 1}\n", "f.yaml:1:4", "tags"),
        ("a: 1\n---\nb: 2\n", "f.yaml:2:1", "several documents"),
        ("? [a]\n: b\n", "f.yaml:1:3", "must be text"),
        ("? {a: b}\n: b\n", "f.yaml:1:3", "must be text"),
        ("a: b: c\n", "f.yaml:1:5", "not valid YAML"),
        ("a: [1\n", "f.yaml", "not valid YAML"),
        ("- 1\n- 2\n", "f.yaml", "mapping"),
        ("just text", "f.yaml", "mapping"),
        ("a: 1e999\n", "f.yaml:1:4", "too large"),
        (f"a: {'9' * 5000}\n", "f.yaml:1:4", "too long"),
        ('a: "\\0"\n', "f.yaml:1:4", "NUL"),
        ('a: "\\ud800"\n', "f.yaml:1", ""),
        ("a: 1\nb: \x1b[0m\n", "f.yaml:2", "U+001B"),
        ("a: 1\nb: \0\n", "f.yaml:2", "U+0000"),
        ("%YAML 99999999999999999999.1\n---\na: 1\n", "f.yaml", "not valid YAML"),
    ],
)
def test_a_refusal_names_the_place_and_the_reason(text: str, where: str, words: str) -> None:
    error = refusal(text)
    assert error.where is not None
    assert error.where.startswith(where)
    assert words in error.message


def test_an_alias_bomb_ends_at_its_first_anchor() -> None:
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [f"{b}: &{b} [{','.join(['*' + a] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    assert "anchors" in refusal("\n".join(lines)).message


@pytest.mark.parametrize(
    "text", ["[" * 3000, "a: " + "[" * 3000, "{a: " * 3000, "\n".join("  " * n + "a:" for n in range(500))]
)
def test_deep_nesting_is_refused(text: str) -> None:
    refusal(text)


def test_the_depth_limit_is_exact() -> None:
    fits = "k: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert load_yaml(fits, "f").data
    assert "nested deeper" in refusal(f"k: {'[' * MAX_DEPTH}{']' * MAX_DEPTH}").message


def test_many_values_are_refused() -> None:
    assert "more than" in refusal("a: [" + "1," * 60_000 + "]").message


def test_an_oversize_text_is_refused() -> None:
    assert "larger" in refusal("a: 1\n" + "#" * MAX_BYTES).message
    assert "larger" in refusal(b"a: 1\n" + b"#" * MAX_BYTES).message


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("a: é\n".encode("latin-1"), "not UTF-8"),
        ("a: 1\n".encode("utf-16"), "UTF-16"),
        (b"a: 1\nb: \0\n", "NUL"),
    ],
)
def test_bytes_that_are_no_utf8_text_are_refused(raw: bytes, words: str) -> None:
    assert words in refusal(raw).message


def test_a_bom_and_crlf_are_fine() -> None:
    assert load_yaml(b"\xef\xbb\xbfa: 1\r\nb: x\r\n", "f").data == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "key: 'sk-canary-1234' sk-canary-1234\n",
        "key: sk-canary-1234: x\n",
        "a: *sk-canary-1234\n",
        "a: &sk-canary-1234 1\n",
        "a: !sk-canary-1234 1\n",
        "!x!sk-canary-1234 a: 1\n",
        "%TAG !sk-canary-1234! x\n---\na: 1\n",
        "a: 'sk-canary-1234\n",
        "a: 1\nsk-canary-1234\nb: 2\n",
        "a: @sk-canary-1234\n",
        '"sk-canary-1234-which-is-far-too-long-for-the-name-of-a-setting-0123456789": 1\n' * 2,
    ],
)
def test_no_message_quotes_what_the_line_holds(text: str) -> None:
    error = refusal(text)
    assert "canary" not in f"{error} {error.hint} {error.key}"


def test_every_value_has_its_place() -> None:
    document = load_yaml("a:\n  b: [x, {c: 'y'}]\n", "f")
    assert document.at(("a", "b")) == "f:2:6"
    assert document.at(("a", "b"), key=True) == "f:2:3"
    assert document.at(("a", "b", 1, "c")) == "f:2:14"
    assert document.at(("a", "b", 1, "missing")) == "f:2:10"
    assert document.marks["a", "b", 1, "c"].text == "y"


def test_lines_can_be_counted_from_where_the_text_begins_in_its_file() -> None:
    error = refusal("name: x\nname: y\n", first_line=2)
    assert error.where == "f.yaml:3:1"
    assert "first in line 2" in error.message
    assert load_yaml("a: 1", "f", first_line=5).at(("a",)) == "f:5:4"


def test_values_are_in_no_repr() -> None:
    assert "canary" not in repr(load_yaml("a: canary", "f"))
    assert "canary" not in repr(load_yaml("a: canary", "f").marks)


def test_a_missing_file_is_an_error_unless_it_is_optional(tmp_path: Path) -> None:
    path = tmp_path / "ditto.yaml"
    assert load_yaml_file(path, optional=True) is None
    with pytest.raises(ConfigError, match="no such file"):
        load_yaml_file(path)


def test_a_fifo_a_folder_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path, Path("/dev/zero"), Path("/dev/tty")):
        with pytest.raises(ConfigError):
            load_yaml_file(path, optional=True)


def test_a_link_to_nowhere_is_no_missing_file(tmp_path: Path) -> None:
    link = tmp_path / "ditto.yaml"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(ConfigError, match="leads nowhere"):
        load_yaml_file(link, optional=True)


def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "ditto.yaml"
    link.symlink_to(link)
    with pytest.raises(ConfigError):
        load_yaml_file(link, optional=True)


def test_a_name_that_is_no_file_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="no usable file name"):
        load_yaml_file(Path("a\0b"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ditto.yaml"
    path.touch(mode=0)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_yaml_file(path, optional=True)


def test_a_file_whose_reading_fails_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_yaml_file(Path("/proc/self/mem"))


def test_an_oversize_file_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "ditto.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ConfigError, match="larger than"):
        load_yaml_file(path)
