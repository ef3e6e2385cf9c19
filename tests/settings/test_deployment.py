"""The DITTO_* variables as typed values, and what is said about wrong and unknown ones."""

from pathlib import Path

import pytest

from ditto_core.errors import ConfigError
from ditto_core.settings.load import load_runtime_config
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.runtime_config import ModelDefault, RuntimeConfig

P = "DITTO_SHARED_PROVIDER_"
ALLOW = "DITTO_SHARED_SANDBOX_ALLOW_"


def load(**env: str) -> RuntimeConfig:
    return load_runtime_config(env)


def refusal(**env: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(**env)
    return caught.value


def test_nothing_set_means_nothing_configured_and_nothing_granted() -> None:
    config = load()
    assert dict(config.providers) == {}
    assert config.model is None
    assert config.permissions == Permissions()
    assert config.workspace == Path.cwd()
    assert config.warnings == ()


def test_an_empty_variable_is_an_unset_one() -> None:
    names = ["DITTO_SHARED_PROVIDERS", "DITTO_RUNTIME_WORKSPACE", f"{ALLOW}READ", f"{ALLOW}TOOLS", f"{ALLOW}NETWORK"]
    assert load(**dict.fromkeys(names, "")).permissions == Permissions()


def test_a_provider_is_its_four_variables() -> None:
    config = load(
        DITTO_SHARED_PROVIDERS=" deepseek, my_llm2 ",
        **{
            f"{P}DEEPSEEK_BASE_URL": "HTTPS://API.deepseek.com:443/v1/",
            f"{P}DEEPSEEK_API_KEY": "sk-canary",
            f"{P}DEEPSEEK_MODEL": "deepseek-chat",
            f"{P}MY_LLM2_KIND": "gemini",
        },
    )
    deepseek, mine = config.providers["deepseek"], config.providers["my_llm2"]
    assert (deepseek.kind, deepseek.base_url) == ("openai-compatible", "https://api.deepseek.com/v1")
    assert deepseek.model == "deepseek-chat"
    assert deepseek.api_key is not None
    assert deepseek.api_key.reveal() == "sk-canary"
    assert (mine.kind, mine.base_url) == ("gemini", "https://generativelanguage.googleapis.com/v1beta")
    assert mine.api_key is None
    assert config.warnings == ()
    assert "canary" not in repr(config)
    assert [secret.reveal() for secret in config.secrets()] == ["sk-canary"]


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("openai-compatible", "https://api.openai.com/v1"),
        ("anthropic", "https://api.anthropic.com/v1"),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta"),
        ("offline", None),
    ],
)
def test_the_address_defaults_by_kind(kind: str, url: str | None) -> None:
    assert load(DITTO_SHARED_PROVIDERS="p", **{f"{P}P_KIND": kind}).providers["p"].base_url == url


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a,,b", "empty"),
        (",", "empty"),
        (" ", "white space"),
        ("a,a", "twice"),
        ("Deepseek", "lower-case"),
        ("a-b", "lower-case"),
        ("1a", "lower-case"),
        ("offline", "built in"),
        ("a,scripted", "built in"),
    ],
)
def test_names_of_providers_are_checked(value: str, words: str) -> None:
    error = refusal(DITTO_SHARED_PROVIDERS=value)
    assert error.where == "DITTO_SHARED_PROVIDERS"
    assert words in error.message


def test_an_unknown_kind_names_the_nearest() -> None:
    error = refusal(DITTO_SHARED_PROVIDERS="p", **{f"{P}P_KIND": "antropic"})
    assert error.key == f"{P}P_KIND"
    assert error.hint == "Did you mean anthropic?"
    assert "not in this release" in refusal(DITTO_SHARED_PROVIDERS="p", **{f"{P}P_KIND": "local"}).message


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_a_vendors_key_is_not_sent_to_another_vendor_for_lack_of_a_kind(name: str) -> None:
    error = refusal(DITTO_SHARED_PROVIDERS=name, **{f"{P}{name.upper()}_API_KEY": "k"})
    assert f"{P}{name.upper()}_KIND={name}" in (error.hint or "")
    gateway = {f"{P}{name.upper()}_BASE_URL": "https://gateway.example.com"}
    assert load(DITTO_SHARED_PROVIDERS=name, **gateway).providers[name].kind == "openai-compatible"


def test_a_default_address_of_a_name_that_is_not_the_vendors_is_told() -> None:
    assert load(DITTO_SHARED_PROVIDERS="openai").warnings == ()
    [warning] = load(DITTO_SHARED_PROVIDERS="deepseek").warnings
    assert "https://api.openai.com/v1" in warning
    assert load(DITTO_SHARED_PROVIDERS="deepseek", **{f"{P}DEEPSEEK_KIND": "openai-compatible"}).warnings == ()


@pytest.mark.parametrize(
    "url",
    [
        "https://user:canary@example.com",
        "https://example.com/?key=canary",
        "https://example.com/#canary",
        "canary.example.com",
        "ftp://canary.example.com",
        "https://canary example.com",
    ],
)
def test_a_wrong_base_url_is_refused_without_showing_it(url: str) -> None:
    error = refusal(DITTO_SHARED_PROVIDERS="p", **{f"{P}P_BASE_URL": url})
    assert error.where == f"{P}P_BASE_URL"
    assert "canary" not in f"{error}{error.hint}"


@pytest.mark.parametrize(
    "key", [" canary", "canary ", "canary\n", "can ary", "canary\tx", "canaryé", "\x1bcanary", " "]
)
@pytest.mark.parametrize(
    "name", [f"{P}P_API_KEY", "DITTO_WORKER_INTERACTION_BRAVE_SEARCH_API_KEY", "DITTO_TRANSPORT_HTTP_WORKER_TOKEN"]
)
def test_a_key_with_a_pasting_mistake_is_refused_without_showing_it(name: str, key: str) -> None:
    error = refusal(DITTO_SHARED_PROVIDERS="p", **{name: key})
    assert error.where == name
    assert "canary" not in f"{error}{error.hint}"


def test_the_default_model_needs_both_variables() -> None:
    both = {"DITTO_WORKER_INFER_MODEL_PROVIDER": "p", "DITTO_WORKER_INFER_MODEL": "org/model"}
    assert load(DITTO_SHARED_PROVIDERS="p", **both).model == ModelDefault("p", "org/model")
    for missing in both:
        given = {name: value for name, value in both.items() if name != missing}
        assert missing in refusal(DITTO_SHARED_PROVIDERS="p", **given).message
    assert "not enabled" in refusal(DITTO_SHARED_PROVIDERS="q", **both).message


def test_permissions_are_switches_and_lists() -> None:
    config = load(
        **{
            f"{ALLOW}READ": "true",
            f"{ALLOW}WRITE": "False",
            f"{ALLOW}TOOLS": "read_text, list_dir",
            f"{ALLOW}MCP": "files,github/create_issue",
            f"{ALLOW}SKILLS": "*",
            f"{ALLOW}NETWORK": "https://API.example.com:443/, http://localhost:8080",
        }
    )
    assert config.permissions == Permissions(
        read=True,
        write=False,
        tools=frozenset({"read_text", "list_dir"}),
        mcp=frozenset({"files", "github/create_issue"}),
        skills=frozenset({"*"}),
        network=frozenset({"https://api.example.com", "http://localhost:8080"}),
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((f"{ALLOW}READ", value) for value in ("1", "yes", "on", "maybe", "true,false")),
        *((f"{ALLOW}TOOLS", value) for value in ("read_*", "a,,b", "a\nb")),
        *((f"{ALLOW}MCP", value) for value in ("github/*", "git*")),
        *((f"{ALLOW}NETWORK", value) for value in ("example.com", "https://a.b/path", "https://*.a.b", "ftp://a.b")),
    ],
)
def test_a_permission_that_is_not_exactly_understood_is_an_error(name: str, value: str) -> None:
    assert refusal(**{name: value}).where == name


def test_an_unknown_variable_is_a_warning_with_the_nearest() -> None:
    config = load(
        DITTO_SHARED_PROVIDERS="openai",
        DITTO_SHARED_SANDBOX_ALOW_READ="true",
        DITTO_SHARED_PROVIDER_OPENAI_APIKEY="canary",
        DITTO_SHARED_PROVIDER_GROQ_API_KEY="canary",
        DITTO_WORKER_CONTEXT_REDIS_URL="canary",
        HOME="/x",
    )
    assert config.warnings == (
        "DITTO_SHARED_PROVIDER_GROQ_API_KEY has no effect: the provider groq is not enabled in DITTO_SHARED_PROVIDERS",
        "DITTO_SHARED_PROVIDER_OPENAI_APIKEY is no variable of Ditto. "
        "Did you mean DITTO_SHARED_PROVIDER_OPENAI_API_KEY?",
        "DITTO_SHARED_SANDBOX_ALOW_READ is no variable of Ditto. Did you mean DITTO_SHARED_SANDBOX_ALLOW_READ?",
    )


def test_the_workspace_is_absolute_and_relative_to_the_current_folder(tmp_path: Path) -> None:
    assert load_runtime_config({"DITTO_RUNTIME_WORKSPACE": "a/b"}, folder=tmp_path).workspace == tmp_path / "a/b"
    assert load_runtime_config({"DITTO_RUNTIME_WORKSPACE": str(tmp_path)}).workspace == tmp_path
    assert refusal(DITTO_RUNTIME_WORKSPACE="~/x").where == "DITTO_RUNTIME_WORKSPACE"
    assert refusal(DITTO_RUNTIME_WORKSPACE="a\nb").where == "DITTO_RUNTIME_WORKSPACE"
