"""From files and variables to the one immutable RuntimeConfig."""

import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from ditto_core.errors import ConfigError
from ditto_core.settings.environment import Environment, load_env_file
from ditto_core.settings.load import (
    ConfigSources,
    load_layered_config,
    load_runtime_config,
    load_runtime_config_file,
)
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings


def test_a_file_and_an_environment_make_one_configuration(tmp_path: Path) -> None:
    path = tmp_path / "ditto.yaml"
    path.write_text("runtime: {timeoutMs: 7}\nshared: {providers: {a: {streamUsage: false}}}\n")
    config = load_runtime_config_file(
        path, {"DITTO_SHARED_PROVIDERS": "a", "DITTO_SHARED_PROVIDER_A_BASE_URL": "http://h"}
    )
    assert config.settings.runtime.timeout_ms == 7
    assert config.providers["a"].base_url == "http://h"
    assert config.settings.shared.providers["a"].stream_usage is False


def test_settings_made_in_code_do_as_well() -> None:
    config = load_runtime_config({}, Settings.model_validate({"runtime": {"network": {"proxy": "http://p:1"}}}))
    assert config.settings.runtime.network.proxy == "http://p:1"
    assert load_runtime_config({}).settings == Settings()


def test_a_missing_or_empty_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load_runtime_config_file(tmp_path / "ditto.yaml", {})
    (tmp_path / "ditto.yaml").write_text("# nothing\n")
    assert load_runtime_config_file(tmp_path / "ditto.yaml", {}).settings == Settings()


def test_it_cannot_be_changed(tmp_path: Path) -> None:
    config = load_runtime_config({"DITTO_SHARED_PROVIDERS": "openai"})
    with pytest.raises(FrozenInstanceError):
        config.workspace = tmp_path  # type: ignore[misc]  # the point of the test
    with pytest.raises(TypeError):
        config.providers["b"] = config.providers["openai"]  # type: ignore[index]  # the point of the test


def test_a_default_configuration_needs_no_file_and_no_variable() -> None:
    config = RuntimeConfig()
    assert config.settings == Settings()
    assert config.workspace.is_absolute()
    assert config.secrets() == ()


def test_behaviour_that_does_not_fit_the_kind_is_an_error() -> None:
    env = {"DITTO_SHARED_PROVIDERS": "a", "DITTO_SHARED_PROVIDER_A_KIND": "gemini"}
    settings = Settings.model_validate({"shared": {"providers": {"a": {"maxTokensField": "max_tokens"}}}})
    with pytest.raises(ConfigError, match="belong to the kind openai-compatible"):
        load_runtime_config(env, settings)
    load_runtime_config({}, settings)


def test_an_error_in_an_env_file_names_its_line(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("\nDITTO_SHARED_SANDBOX_ALLOW_READ=canary\n")
    environment = Environment.layered({}, load_env_file(tmp_path / ".env"))
    with pytest.raises(ConfigError) as caught:
        load_runtime_config(environment)
    assert caught.value.where == f"{tmp_path}/.env:2: DITTO_SHARED_SANDBOX_ALLOW_READ"
    assert "canary" not in str(caught.value)


def test_a_workspace_of_an_env_file_is_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DITTO_RUNTIME_WORKSPACE=sub\n")
    file = load_env_file(tmp_path / ".env")
    assert load_runtime_config(Environment.layered({}, file), folder=Path("/elsewhere")).workspace == tmp_path / "sub"
    process = {"DITTO_RUNTIME_WORKSPACE": "other"}
    layered = Environment.layered(process, file)
    assert load_runtime_config(layered, folder=Path("/elsewhere")).workspace == Path("/elsewhere/other")


def test_redaction_gets_every_secret_once() -> None:
    config = load_runtime_config(
        {
            "DITTO_SHARED_PROVIDERS": "openai",
            "DITTO_SHARED_PROVIDER_OPENAI_API_KEY": "one",
            "DITTO_WORKER_INTERACTION_BRAVE_SEARCH_API_KEY": "two",
            "DITTO_TRANSPORT_HTTP_WORKER_TOKEN": "three",
            "GITHUB_TOKEN": "four",
        }
    )
    assert sorted(secret.reveal() for secret in config.secrets()) == ["four", "one", "three", "two"]
    assert not [word for word in ("one", "two", "three", "four") if f"'{word}'" in repr(config)]


def test_the_command_lines_files_are_of_the_named_folder_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ditto.yaml").write_text("runtime: {maxTurns: 3}")
    (tmp_path / ".env").write_text("DITTO_RUNTIME_ENV=parent")
    folder = tmp_path / "sub"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    loaded = load_layered_config(ConfigSources(folder), {}, Permissions(), trusted=True)
    assert loaded.config.settings.runtime.max_turns == 8
    assert loaded.config.label is None
    assert loaded.config.workspace == folder


def test_named_files_must_exist_and_replace_the_usual_ones(tmp_path: Path) -> None:
    (tmp_path / "ditto.yaml").write_text("runtime: {maxTurns: 3}")
    for sources in (
        ConfigSources(tmp_path, config=tmp_path / "other.yaml"),
        ConfigSources(tmp_path, env_file=tmp_path / "other.env"),
    ):
        with pytest.raises(ConfigError, match="no such file"):
            load_layered_config(sources, {}, Permissions(), trusted=True)
    (tmp_path / "other.yaml").write_text("runtime: {loopMaxIterations: 5}")
    (tmp_path / "other.env").write_text("DITTO_RUNTIME_ENV=other")
    sources = ConfigSources(tmp_path, config=tmp_path / "other.yaml", env_file=tmp_path / "other.env")
    config = load_layered_config(sources, {}, Permissions(), trusted=True).config
    assert (config.settings.runtime.max_turns, config.settings.runtime.loop_max_iterations) == (8, 5)
    assert config.label == "other"


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True).stdout


def test_importing_loads_no_yaml_and_no_dotenv() -> None:
    code = "import sys, ditto_core.settings.load; print([m for m in ('yaml', 'dotenv') if m in sys.modules])"
    assert run(code) == "[]\n"


def test_without_files_neither_library_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from ditto_core.settings.load import ConfigSources, load_layered_config\n"
        "from ditto_core.settings.permissions import Permissions\n"
        f"load_layered_config(ConfigSources(Path({str(tmp_path)!r})), {{}}, Permissions(), trusted=False)\n"
        "print([m for m in ('yaml', 'dotenv') if m in sys.modules])"
    )
    assert run(code) == "[]\n"
    (tmp_path / ".env").write_text("A=1\n")
    assert run(code) == "['dotenv']\n"
