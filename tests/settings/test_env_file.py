"""`.env` files: python-dotenv's grammar, no interpolation, and an error instead of a log line."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ditto_core.errors import ConfigError
from ditto_core.settings.environment import MAX_ENV_BYTES, EnvFile, Environment, load_env_file


def env(tmp_path: Path, content: str | bytes) -> EnvFile:
    path = tmp_path / ".env"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return load_env_file(path)


def refusal(tmp_path: Path, content: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        env(tmp_path, content)
    return caught.value


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=abc#def", "abc#def"),
        ("A=abc #def", "abc"),
        ("A='abc #def'", "abc #def"),
        ("export A=val", "val"),
        ("A = spaced", "spaced"),
        ("A=", ""),
        ("A=foo$bar", "foo$bar"),
        ("A=foo${HOME}x", "foo${HOME}x"),
        ("A='foo${HOME}x'", "foo${HOME}x"),
        ('A="${HOME}"', "${HOME}"),
        ('A="a\\nb"', "a\nb"),
        ('A="line1\nline2"', "line1\nline2"),
        ('A="x" # c', "x"),
        ("A=sk-1   ", "sk-1"),
        ("A=1\nA=2", "2"),
    ],
)
def test_a_line_means_what_python_dotenv_says_without_interpolation(tmp_path: Path, line: str, value: str) -> None:
    assert env(tmp_path, line + "\n")["A"] == value


def test_a_name_without_a_value_is_left_out(tmp_path: Path) -> None:
    assert dict(env(tmp_path, "G\nA=1\n# B=2\n")) == {"A": "1"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('A=1\n\n\nB="canary\nC=2\n', 4),
        ("A='canary\n", 1),
        ('A=1\nB="canary"x\n', 2),
        ("=canary\n", 1),
        ("A=1\r\n\r\nB='canary\r\n", 3),
        ("A canary=1\n", 1),
    ],
)
def test_a_line_that_cannot_be_read_is_an_error_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    error = refusal(tmp_path, text)
    assert error.where == f"{tmp_path}/.env:{line}"
    assert "canary" not in f"{error}{error.hint}"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("A=1\n".encode("utf-16"), "UTF-16"),
        ("A=1\nB=caf\xe9\n".encode("latin-1"), "not UTF-8"),
        (b"A=1\nB=1\0\n", "NUL"),
        (b"A=" + b"x" * MAX_ENV_BYTES, "larger"),
        (b"A=x" + b" " * 5000 + b"\n", "blanks"),
    ],
)
def test_a_file_that_is_no_env_file_is_refused(tmp_path: Path, raw: bytes, words: str) -> None:
    assert words in refusal(tmp_path, raw).message


def test_the_line_of_a_wrong_byte_is_told(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"A=1\nB=\xff\n").where == f"{tmp_path}/.env:2"


def test_a_bom_and_crlf_are_fine(tmp_path: Path) -> None:
    assert dict(env(tmp_path, b"\xef\xbb\xbfA=a\r\nB=b\r\n")) == {"A": "a", "B": "b"}


def test_a_fifo_and_a_folder_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path):
        with pytest.raises(ConfigError, match="not a regular file"):
            load_env_file(path, optional=True)


def test_a_missing_file_is_empty_only_when_it_is_optional(tmp_path: Path) -> None:
    assert not load_env_file(tmp_path / ".env", optional=True)
    with pytest.raises(ConfigError, match="no such file"):
        load_env_file(tmp_path / ".env")


def test_nothing_reaches_the_process_environment_and_no_value_is_in_a_repr(tmp_path: Path) -> None:
    before = dict(os.environ)
    file = env(tmp_path, "DITTO_CANARY_API_KEY=canary-value\n")
    environment = Environment.layered({"OTHER_TOKEN": "canary-value"}, file)
    assert dict(os.environ) == before
    shown = repr(file) + str(file) + repr(environment) + repr(environment.variables) + repr(environment.secrets())
    assert "canary-value" not in shown


def test_the_process_wins_and_an_empty_variable_is_unset(tmp_path: Path) -> None:
    file = env(tmp_path, "A=file\nB=file\nC=\nD=file\n")
    environment = Environment.layered({"A": "process", "B": "", "E": ""}, file)
    assert [environment.get(name) for name in "ABCDE"] == ["process", "file", None, "file", None]
    assert environment.origin("A") == "environment"
    assert environment.origin("B") == f"{tmp_path}/.env:2"


def test_the_snapshot_does_not_follow_the_mapping_it_was_made_of() -> None:
    process = {"A": "1"}
    environment = Environment.layered(process)
    process["A"] = "2"
    assert environment.get("A") == "1"


def test_secrets_are_the_variables_that_are_named_like_secrets() -> None:
    process = {"A_KEY": "1", "B_TOKEN": "2", "C_SECRET": "3", "D_PASSWORD": "4", "E_NAME": "5", "KEYBOARD": "6"}
    assert {secret.reveal() for secret in Environment.layered(process).secrets()} == {"1", "2", "3", "4"}
    found = Environment.layered(process).secret("E_NAME")
    assert found is not None
    assert found.reveal() == "5"
    assert Environment.layered(process).secret("MISSING") is None


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=120) | st.text("AB='\"\\ \n\r#\t$é", max_size=60).map(str.encode))
def test_any_bytes_are_variables_or_a_config_error(tmp_path: Path, raw: bytes) -> None:
    try:
        file = env(tmp_path, raw)
    except ConfigError:
        return
    assert all("\0" not in name + text for name, text in file.items())
