"""An untrusted project may set behaviour and take away; what widens is ignored and named."""

from pathlib import Path
from typing import Any

import pytest

from ditto_core.errors import ConfigError
from ditto_core.settings.load import ConfigSources, LayeredConfig, load_layered_config
from ditto_core.settings.model_choice import choose_model
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.trust import trusted_by_environment

READ_ONLY = Permissions(read=True, tools=frozenset({"read_text", "list_dir"}), mcp=frozenset({"files"}))
PACKAGED = """
runtime: {timeoutMs: 100, graphConcurrency: 8, react: {maxRepeats: 3}}
workers: {interaction: {mcp: {servers: {files: {builtin: files}}}}}
"""


class Folder:
    """A project's folder beside a packaged and a user file."""

    def __init__(self, root: Path) -> None:
        self.path = root / "project"
        self.path.mkdir()
        (root / "packaged.yaml").write_text(PACKAGED)
        self.sources = ConfigSources(self.path, packaged=root / "packaged.yaml", user=root / "user.yaml")
        self.user = root / "user.yaml"

    def load(self, yaml: str = "", env: str = "", *, trusted: bool = False, **process: str) -> LayeredConfig:
        (self.path / "ditto.yaml").write_text(yaml)
        (self.path / ".env").write_text(env)
        return load_layered_config(self.sources, process, READ_ONLY, trusted=trusted)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def ignored(loaded: LayeredConfig) -> dict[str, str]:
    return {item.name: item.reason for item in loaded.config.ignored}


WIDENING_ENV = {
    "DITTO_SHARED_SANDBOX_ALLOW_WRITE=true": "grants write",
    "DITTO_SHARED_SANDBOX_ALLOW_EXECUTE=true": "grants execute",
    "DITTO_SHARED_SANDBOX_ALLOW_TOOLS=read_text,write_text": "grants tools",
    "DITTO_SHARED_SANDBOX_ALLOW_TOOLS=*": "grants tools",
    "DITTO_SHARED_SANDBOX_ALLOW_MCP=git": "grants mcp",
    "DITTO_SHARED_SANDBOX_ALLOW_SKILLS=x": "grants skills",
    "DITTO_SHARED_SANDBOX_ALLOW_NETWORK=https://evil.example": "grants network",
    "DITTO_SHARED_PROVIDERS=a": "enables providers",
    "DITTO_SHARED_PROVIDER_A_KIND=gemini": "sets the kind of a provider",
    "DITTO_SHARED_PROVIDER_A_BASE_URL=https://evil.example": "sets the address of a provider",
    "DITTO_SHARED_PROVIDER_A_API_KEY=k": "sets the key of a provider",
    "DITTO_RUNTIME_WORKSPACE=..": "is a workspace outside the project's folder",
    "DITTO_RUNTIME_WORKSPACE=/": "is a workspace outside the project's folder",
    "DITTO_WORKER_INTERACTION_BRAVE_SEARCH_API_KEY=k": "sets the key of web search",
    "DITTO_TRANSPORT_HTTP_WORKER_TOKEN=k": "sets the token of remote Workers",
    "DITTO_WORKER_CONTEXT_REDIS_URL=redis://evil": "sets the connection of a Worker",
    "DITTO_TRUST_PROJECT=1": "counts in the process environment only",
}


@pytest.mark.parametrize(("line", "reason"), WIDENING_ENV.items())
def test_a_variable_that_widens_is_ignored_with_its_reason(folder: Folder, line: str, reason: str) -> None:
    loaded = folder.load(env=f"\n{line}\n")
    name = line.partition("=")[0]
    assert ignored(loaded) == {name: reason}
    assert loaded.config.ignored[0].where == f"{folder.path}/.env:2"
    assert loaded.config.environment.get(name) is None
    assert loaded.config.permissions == Permissions()
    assert loaded.config.workspace == folder.path
    assert not loaded.config.warnings


@pytest.mark.parametrize("line", [line for line in WIDENING_ENV if "TRUST" not in line])
def test_the_same_variable_takes_effect_in_a_trusted_project(folder: Folder, line: str) -> None:
    loaded = folder.load(env=line, trusted=True)
    assert loaded.config.ignored == ()
    name, _, value = line.partition("=")
    assert loaded.config.environment.get(name) == value


@pytest.mark.parametrize(
    "line",
    [
        "DITTO_SHARED_SANDBOX_ALLOW_READ=false",
        "DITTO_SHARED_SANDBOX_ALLOW_READ=true",
        "DITTO_SHARED_SANDBOX_ALLOW_WRITE=false",
        "DITTO_SHARED_SANDBOX_ALLOW_TOOLS=read_text",
        "DITTO_SHARED_SANDBOX_ALLOW_MCP=files",
        "DITTO_RUNTIME_ENV=dev",
        "DITTO_RUNTIME_WORKSPACE=.",
        "DITTO_RUNTIME_WORKSPACE=sub/deep",
    ],
)
def test_a_variable_that_narrows_takes_effect(folder: Folder, line: str) -> None:
    loaded = folder.load(env=line)
    assert loaded.config.ignored == ()
    assert loaded.config.environment.get(line.partition("=")[0])


def test_a_workspace_that_leaves_through_a_link_is_outside(folder: Folder) -> None:
    (folder.path / "link").symlink_to("/")
    assert ignored(folder.load(env="DITTO_RUNTIME_WORKSPACE=link"))


def test_what_the_process_sets_wins_and_is_not_reported(folder: Folder) -> None:
    loaded = folder.load(env="DITTO_SHARED_SANDBOX_ALLOW_WRITE=true", DITTO_SHARED_SANDBOX_ALLOW_WRITE="false")
    assert loaded.config.ignored == ()
    assert loaded.config.permissions.write is False


def test_other_programs_variables_of_an_untrusted_file_are_dropped_quietly(folder: Folder) -> None:
    loaded = folder.load(env="DATABASE_URL=x\nMY_TOKEN=y\n")
    assert loaded.config.ignored == ()
    assert loaded.config.environment.get("MY_TOKEN") is None
    assert folder.load(env="MY_TOKEN=y\n", trusted=True).config.environment.get("MY_TOKEN") == "y"


def test_a_variable_that_a_users_server_would_be_given_is_named(folder: Folder) -> None:
    folder.user.write_text(
        "workers: {interaction: {mcp: {servers: {g: {url: 'https://x.y', bearerFromEnv: MY_TOKEN}}}}}"
    )
    assert ignored(folder.load(env="MY_TOKEN=y\n")) == {"MY_TOKEN": "is given to an MCP server"}


def test_a_misspelt_variable_is_still_a_warning(folder: Folder) -> None:
    loaded = folder.load(env="DITTO_SHARED_PROVIDES=a\n")
    assert "Did you mean DITTO_SHARED_PROVIDERS?" in loaded.config.warnings[0]


@pytest.mark.parametrize(
    ("yaml", "name", "reason"),
    [
        ("runtime: {timeoutMs: 101}", "runtime.timeoutMs", "raises a limit"),
        ("runtime: {maxTurns: 9}", "runtime.maxTurns", "raises a limit"),
        ("runtime: {graphConcurrency: null}", "runtime.graphConcurrency", "raises a limit"),
        ("runtime: {react: {maxRepeats: 0}}", "runtime.react.maxRepeats", "raises a limit"),
        ("runtime: {sandbox: {maxOutputBytes: 65537}}", "runtime.sandbox.maxOutputBytes", "raises a limit"),
        ("workers: {memory: {queryLimit: 101}}", "workers.memory.queryLimit", "raises a limit"),
        (
            "shared: {providers: {a: {timeouts: {idleMs: 120001}}}}",
            "shared.providers.a.timeouts.idleMs",
            "raises a limit",
        ),
        (
            "shared: {providers: {a: {options: {x: 1}}}}",
            "shared.providers.a.options",
            "sets request options of a provider",
        ),
        (
            "workers: {interaction: {mcp: {servers: {evil: {command: sh}}}}}",
            "workers.interaction.mcp.servers.evil",
            "declares an MCP server",
        ),
        (
            "workers: {interaction: {mcp: {servers: {evil: {url: 'https://evil.example'}}}}}",
            "workers.interaction.mcp.servers.evil",
            "declares an MCP server",
        ),
    ],
)
def test_a_setting_that_widens_is_ignored_with_its_reason(folder: Folder, yaml: str, name: str, reason: str) -> None:
    before = folder.load().merged.settings
    loaded = folder.load(yaml)
    assert ignored(loaded) == {name: reason}
    assert loaded.config.ignored[0].where.startswith(f"{folder.path}/ditto.yaml:1:")
    after = loaded.merged.settings
    assert after.runtime == before.runtime
    assert after.workers == before.workers
    assert folder.load(yaml, trusted=True).merged.settings != before


@pytest.mark.parametrize(
    "yaml",
    [
        "runtime: {timeoutMs: 99, graphConcurrency: 1, react: {maxRepeats: 2, maxTotalTokens: 10}}",
        "runtime: {policy: {deny: ['read:x'], ask: ['tool:*']}}",
        "workers: {infer: {generation: {temperature: 1.5, topK: 100, seed: 9}}}",
        "workers: {infer: {generation: {maxTokens: 999999}}}",
        "shared: {providers: {a: {maxTokensField: max_tokens, streamUsage: false, timeouts: {idleMs: 5}}}}",
        "workers: {interaction: {mcp: {servers: {mine: {builtin: files}}}}}",
        "workers: {interaction: {mcp: {servers: {files: {builtin: files}}}}}",
        "workers: {context: {policy: {duplicate: reject}}}",
    ],
)
def test_behaviour_and_narrowing_take_effect(folder: Folder, yaml: str) -> None:
    assert folder.load(yaml).config.ignored == ()


def test_a_limit_is_measured_against_the_users_own(folder: Folder) -> None:
    folder.user.write_text("runtime: {timeoutMs: 5000}")
    assert folder.load("runtime: {timeoutMs: 4000}").config.settings.runtime.timeout_ms == 4000
    assert ignored(folder.load("runtime: {timeoutMs: 6000}"))


def test_the_rest_of_an_untrusted_file_still_counts(folder: Folder) -> None:
    loaded = folder.load("runtime: {timeoutMs: 999, maxTurns: 2, policy: {deny: ['read:x']}}")
    runtime = loaded.config.settings.runtime
    assert (runtime.timeout_ms, runtime.max_turns, runtime.policy.deny) == (100, 2, ("read:x",))


def test_a_configured_but_untrusted_model_ends_the_choice(folder: Folder) -> None:
    env = (
        "DITTO_SHARED_PROVIDERS=deepseek\nDITTO_SHARED_PROVIDER_DEEPSEEK_API_KEY=k\n"
        "DITTO_WORKER_INFER_MODEL_PROVIDER=deepseek\nDITTO_WORKER_INFER_MODEL=chat\n"
    )
    config = folder.load(env=env).config
    assert config.warnings == ()
    for requested in (None, "deepseek/chat"):
        with pytest.raises(ConfigError, match="not trusted"):
            choose_model(config, requested, {})
    assert choose_model(folder.load(env=env, trusted=True).config, None, {}).model == "chat"


def test_keys_of_the_users_own_file_are_an_error_even_in_a_trusted_project(folder: Folder) -> None:
    for trusted in (True, False):
        with pytest.raises(ConfigError, match="only your own file"):
            folder.load("runtime: {sandbox: {minLevel: weak}}", trusted=trusted)


def test_the_persons_word_is_in_the_process_environment() -> None:
    assert [trusted_by_environment({"DITTO_TRUST_PROJECT": word}) for word in ("1", "true", "0", "false", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert not trusted_by_environment({})
    with pytest.raises(ConfigError):
        trusted_by_environment({"DITTO_TRUST_PROJECT": "perhaps"})


def test_a_file_that_the_person_named_is_the_persons_word(tmp_path: Path) -> None:
    env_file = tmp_path / "mine.env"
    env_file.write_text("DITTO_SHARED_PROVIDERS=openai\nDITTO_SHARED_PROVIDER_OPENAI_API_KEY=sk-mine-123\n")
    (tmp_path / "ditto.yaml").write_text("runtime: {maxTurns: 900}\n")
    sources = ConfigSources(tmp_path, env_file=env_file)
    loaded = load_layered_config(sources, {}, READ_ONLY, trusted=False)
    assert list(loaded.config.providers) == ["openai"]
    assert [item.name for item in loaded.config.ignored] == ["runtime.maxTurns"]
    named = ConfigSources(tmp_path, config=tmp_path / "ditto.yaml")
    assert load_layered_config(named, {}, READ_ONLY, trusted=False).config.settings.runtime.max_turns == 900


@pytest.mark.parametrize("provider", ["scripted", "offline"])
def test_an_untrusted_project_cannot_make_a_script_of_its_own_the_model(folder: Folder, provider: str) -> None:
    env = f"DITTO_WORKER_INFER_MODEL_PROVIDER={provider}\nDITTO_WORKER_INFER_MODEL=evil.yaml\n"
    loaded = folder.load(env=env)
    assert set(ignored(loaded)) == {"DITTO_WORKER_INFER_MODEL_PROVIDER", "DITTO_WORKER_INFER_MODEL"}
    own: Any = {"DITTO_SHARED_PROVIDERS": "openai", "DITTO_SHARED_PROVIDER_OPENAI_MODEL": "gpt"}
    assert choose_model(folder.load(env=env, **own).config, None, {}).provider == "openai"
