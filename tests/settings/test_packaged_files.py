"""ditto.yaml and .env.example as newcomers get them: complete, true, and valid when a line is switched on."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from ditto_core.settings.environment import EnvFile, load_env_file
from ditto_core.settings.layers import load_layer, merge_layers
from ditto_core.settings.load import ConfigSources, load_layered_config, load_runtime_config_file
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.schema import Settings
from ditto_core.settings.schema_check import read_settings
from ditto_core.settings.variables import FIXED, PROVIDER_FIELDS, provider_variable, unknown_variables
from ditto_core.settings.yaml_file import load_yaml

ROOT = Path(__file__).parents[2]
YAML = ROOT / "ditto.yaml"
ENV = ROOT / ".env.example"
_OFF = re.compile(r"^( *)# ( *)([A-Za-z]+:.*)$")


def switched_on() -> str:
    """ditto.yaml with every setting that is commented out switched on."""
    lines = []
    for line in YAML.read_text().splitlines():
        off = _OFF.match(line)
        on = off and re.match(r"[A-Za-z]+:( |$)", off[3]) and ". " not in off[3]
        lines.append(f"{off[1]}{off[2]}{off[3]}" if off and on else line)
    return "\n".join(lines).replace("providers: {}", "providers:")


def models(annotation: Any, seen: set[type[BaseModel]]) -> set[type[BaseModel]]:
    """Every model inside an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in seen:
        seen.add(annotation)
        for field in annotation.model_fields.values():
            models(field.annotation, seen)
    for argument in get_args(annotation):
        models(argument, seen)
    return seen


def test_the_packaged_file_is_valid_and_sets_what_the_command_line_needs() -> None:
    layer = load_layer("packaged", YAML, optional=False)
    assert layer is not None
    settings = merge_layers([layer]).settings
    runtime = settings.runtime
    assert (runtime.timeout_ms, runtime.max_turns, runtime.graph_concurrency) == (120_000, 8, 8)
    assert settings.workers.infer.generation.max_tokens == 4096
    assert settings.workers.interaction.mcp.servers["files"].builtin == "files"
    assert list(settings.workers.interaction.mcp.servers) == ["files"]


def test_everything_else_in_it_is_the_librarys_default() -> None:
    config = load_runtime_config_file(YAML, {})
    given, default = config.settings.to_wire(), Settings().to_wire()
    default["runtime"] |= {"timeoutMs": 120_000, "graphConcurrency": 8}
    default["workers"]["infer"]["generation"] = {"maxTokens": 4096}
    given["workers"]["interaction"].pop("mcp")
    default["workers"]["interaction"].pop("mcp")
    assert given == default


def test_every_commented_setting_is_valid_when_it_is_switched_on() -> None:
    settings = read_settings(load_yaml(switched_on(), "ditto.yaml"), user_file=True)
    servers = settings.workers.interaction.mcp.servers
    assert set(servers) == {"files", "git", "github"}
    assert servers["git"].env_from["GIT_TOKEN"] == "MY_GIT_TOKEN"
    assert settings.shared.providers["deepseek"].options["thinking"] == {"type": "enabled"}
    assert settings.runtime.sandbox.min_level == "medium"
    assert settings.runtime.network.proxy == "http://proxy.example.com:3128"


@pytest.mark.parametrize("model", sorted(models(Settings, set()), key=str))
def test_every_key_is_shown(model: type[BaseModel]) -> None:
    text = YAML.read_text()
    missing = [f.alias for f in model.model_fields.values() if not re.search(rf"\b{f.alias}: ?", text)]
    assert missing == []


def test_as_a_projects_own_file_it_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "ditto.yaml").write_text(YAML.read_text())
    (tmp_path / ".env").write_text(ENV.read_text())
    sources = ConfigSources(tmp_path, packaged=YAML)
    loaded = load_layered_config(sources, {}, Permissions(), trusted=False)
    assert (loaded.config.ignored, loaded.config.warnings) == ((), ())
    assert loaded.config.settings == load_runtime_config_file(YAML, {}).settings


def switched_on_env(tmp_path: Path) -> EnvFile:
    path = tmp_path / ".env"
    path.write_text(re.sub(r"^#(DITTO_)", r"\1", ENV.read_text(), flags=re.MULTILINE))
    return load_env_file(path)


def test_the_example_env_file_sets_nothing() -> None:
    assert not load_env_file(ENV)


def test_every_variable_is_in_the_example(tmp_path: Path) -> None:
    shown = set(switched_on_env(tmp_path)) | {"DITTO_TRUST_PROJECT"}
    assert shown == set(FIXED) | {provider_variable("openai", field) for field in PROVIDER_FIELDS}
    assert unknown_variables(shown, ["openai"]) == []
    text = ENV.read_text()
    for name in ("DITTO_TRUST_PROJECT", "DITTO_WORKER_CONTEXT_", "DITTO_WORKER_MEMORY_", "OPENAI_API_KEY"):
        assert name in text


def test_every_example_value_is_valid(tmp_path: Path) -> None:
    (tmp_path / "ditto.yaml").touch()
    switched_on_env(tmp_path)
    env = tmp_path / ".env"
    env.write_text(env.read_text().replace("INFER_MODEL=\n", "INFER_MODEL=m\n"))
    config = load_layered_config(ConfigSources(tmp_path), {}, Permissions(), trusted=True).config
    assert config.warnings == ()
    assert config.providers["openai"].base_url == "https://api.openai.com/v1"
    assert config.permissions.tools == frozenset({"read_text", "list_dir", "search_text", "load_skill"})
    assert config.workspace == tmp_path


def test_every_variable_has_a_line_that_explains_it() -> None:
    lines = ENV.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("#DITTO_"):
            before = [text for text in lines[:number] if text and not text.startswith("#DITTO_")]
            assert before[-1].startswith("# ")
