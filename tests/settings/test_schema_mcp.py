"""MCP servers in ditto.yaml: one kind each, text as written, and no secret."""

import pytest

from ditto_core.errors import ConfigError
from ditto_core.settings.schema_check import read_settings
from ditto_core.settings.schema_mcp import McpServerSettings
from ditto_core.settings.yaml_file import load_yaml


def server(body: str, name: str = "s") -> McpServerSettings:
    text = f"workers: {{interaction: {{mcp: {{servers: {{{name}: {{{body}}}}}}}}}}}"
    return read_settings(load_yaml(text, "f")).workers.interaction.mcp.servers[name.strip("'")]


def refusal(body: str, name: str = "s") -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        server(body, name)
    return caught.value


def test_the_three_kinds_of_server() -> None:
    assert server("builtin: files").builtin == "files"
    git = server(
        "command: mcp-server-git, args: ['-r', '.'], cwd: ., env: {DEBUG: '1'}, envFrom: {GIT_TOKEN: MY_GIT_TOKEN}, "
        "timeoutMs: 1, sandbox: {network: true, read: ['.', ~/x], write: [/tmp/y]}"
    )
    assert git.args == ("-r", ".")
    assert dict(git.env) == {"DEBUG": "1"}
    assert git.sandbox.network is True
    assert git.sandbox.read == (".", "~/x")
    assert git.variables() == ("MY_GIT_TOKEN",)
    github = server(
        "url: 'https://example.com/mcp?profile=a', bearerFromEnv: TOK, headersFromEnv: {X-Team: TEAM}, transport: sse"
    )
    assert github.transport == "sse"
    assert github.variables() == ("TOK", "TEAM")


def test_a_process_gets_nothing_by_default() -> None:
    sandbox = server("command: x").sandbox
    assert (sandbox.network, sandbox.read, sandbox.write) == (False, (), ())


@pytest.mark.parametrize("body", ["", "args: [a]", "command: a, url: 'https://x.y'", "builtin: files, command: a"])
def test_a_server_is_exactly_one_kind(body: str) -> None:
    assert "exactly one of" in refusal(body).message


@pytest.mark.parametrize(
    "body",
    [
        "builtin: files, args: [a]",
        "builtin: files, sandbox: {network: true}",
        "command: a, bearerFromEnv: T",
        "command: a, transport: http",
        "url: 'https://x.y', env: {A: b}",
        "url: 'https://x.y', sandbox: {read: [a]}",
    ],
)
def test_a_key_of_another_kind_is_refused(body: str) -> None:
    assert "cannot be set" in refusal(body).message


@pytest.mark.parametrize("item", ["3000", "1.20", "true", "null", "on", "010", "1_0", "~", "", "[a]", "{a: b}"])
def test_arguments_and_variables_are_text_as_written_or_refused(item: str) -> None:
    assert refusal(f"command: a, env: {{V: {item} }}").where
    if item:
        assert refusal(f"command: a, args: [-y, {item} ]").where
        assert server(f"command: a, args: [-y, '{item}']").args == ("-y", item)
    assert server(f"command: a, env: {{V: '{item}'}}").env["V"] == item


def test_an_argument_may_be_empty_or_have_lines_but_no_nul() -> None:
    assert server('command: a, args: ["", "x\\ny"]').args == ("", "x\ny")


@pytest.mark.parametrize("name", ["TOKEN", "GIT_TOKEN", "OPENAI_API_KEY", "DB_PASSWORD", "client_secret"])
def test_a_secret_in_env_is_refused_without_showing_it(name: str) -> None:
    error = refusal(f"command: a, env: {{{name}: canary}}")
    assert "envFrom" in error.message
    assert "canary" not in str(error)
    assert server("command: a, env: {TOKENIZERS_PARALLELISM: 'false'}").env


@pytest.mark.parametrize(
    "body",
    ["command: a, env: {T: '${X}'}", "url: 'https://${HOST}/'", "command: '${HOME}/x'", "command: a, cwd: '${X}'"],
)
def test_nothing_is_substituted_so_a_reference_is_refused(body: str) -> None:
    assert "puts no variables into text" in refusal(body).message


def test_a_reference_in_an_argument_is_the_programs_own_business() -> None:
    assert server("command: sh, args: ['-c', 'echo ${HOME}']").args == ("-c", "echo ${HOME}")


@pytest.mark.parametrize(
    "url",
    [
        "https://user:canary@x.y/",
        "https://x.y/?api_key=canary",
        "https://x.y/?a=1&access_token=canary",
        "https://x.y/#canary",
        "ftp://x.y/canary",
        "https:///canary",
        "canary",
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused_without_showing_it(url: str) -> None:
    error = refusal(f"url: '{url}'")
    assert "canary" not in f"{error}{error.hint}"


def test_headers_with_values_are_refused_with_the_way_to_do_it() -> None:
    error = refusal("url: 'https://x.y', headers: {Authorization: Bearer canary}")
    assert "headersFromEnv" in (error.hint or "")
    assert "canary" not in f"{error}{error.hint}"
    assert "bearerFromEnv" in (refusal("url: 'https://x.y', token: canary").hint or "")


def test_the_name_of_a_variable_is_no_value() -> None:
    error = refusal("url: 'https://x.y', bearerFromEnv: 'sk-canary'")
    assert "not its value" in error.message
    assert "canary" not in str(error)


@pytest.mark.parametrize("command", ["./run", "bin/run", "../x"])
def test_a_program_is_found_on_path_or_absolute(command: str) -> None:
    assert "absolute path" in refusal(f"command: {command}").message
    assert server("command: /opt/run").command == "/opt/run"


@pytest.mark.parametrize("name", ["'a b'", "a/b", "'*'", "_a", "'a:b'", "a" * 65, "''"])
def test_a_servers_name_fits_grants_and_action_names(name: str) -> None:
    assert "server's name" in refusal("builtin: files", name).message


def test_a_misspelt_key_of_a_server_names_the_nearest() -> None:
    assert "command?" in (refusal("comand: npx").hint or "")
    assert "timeoutMs?" in (refusal("command: a, timeout_s: 5").hint or "")
