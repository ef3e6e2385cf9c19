"""Which provider and model a run uses."""

import pytest

from ditto_core.errors import ConfigError
from ditto_core.settings.load import load_runtime_config
from ditto_core.settings.model_choice import ModelChoice, choose_model
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.trust import Ignored

P = "DITTO_SHARED_PROVIDER_"
ONE = {"DITTO_SHARED_PROVIDERS": "a", f"{P}A_MODEL": "m", f"{P}A_BASE_URL": "http://localhost"}
TWO = {"DITTO_SHARED_PROVIDERS": "a,b", f"{P}A_MODEL": "m", f"{P}A_KIND": "gemini", f"{P}B_KIND": "gemini"}


def choose(requested: str | None = None, process: dict[str, str] | None = None, /, **env: str) -> ModelChoice:
    return choose_model(load_runtime_config(env), requested, process or {})


def refusal(requested: str | None = None, process: dict[str, str] | None = None, /, **env: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        choose(requested, process, **env)
    assert caught.value.code == "CONFIG_INVALID"
    return caught.value


def test_what_is_requested_wins() -> None:
    default = {"DITTO_WORKER_INFER_MODEL_PROVIDER": "a", "DITTO_WORKER_INFER_MODEL": "d"}
    choice = choose("b/x", **TWO, **default)
    assert (choice.provider, choice.model) == ("b", "x")
    assert choice.config is not None
    assert choice.config.name == "b"


def test_a_model_may_hold_slashes() -> None:
    choice = choose("b/org/model:7b", **TWO)
    assert (choice.provider, choice.model) == ("b", "org/model:7b")


def test_a_provider_alone_means_its_own_model() -> None:
    assert choose("a", **TWO).model == "m"
    error = refusal("b", **TWO)
    assert f"{P}B_MODEL" in (error.hint or "")


def test_then_the_default_then_the_sole_provider() -> None:
    default = {"DITTO_WORKER_INFER_MODEL_PROVIDER": "b", "DITTO_WORKER_INFER_MODEL": "d"}
    assert (choose(None, **TWO, **default).provider, choose(None, **TWO, **default).model) == ("b", "d")
    assert (choose(None, **ONE).provider, choose(None, **ONE).model) == ("a", "m")


def test_several_providers_without_a_default_are_listed() -> None:
    error = refusal(None, **TWO)
    assert "a, b" in error.message
    assert "--model" in (error.hint or "")


def test_a_sole_provider_without_a_model_is_no_choice() -> None:
    assert "has no model" in refusal(None, DITTO_SHARED_PROVIDERS="openai").message


def test_nothing_configured_is_offline_and_said() -> None:
    choice = choose()
    assert (choice.provider, choice.model, choice.config) == ("offline", "offline", None)
    assert "not a language model" in choice.notes[0]
    assert choose("offline").notes == ()


def test_a_key_that_lies_ready_is_mentioned_but_not_used() -> None:
    choice = choose(None, {"OPENAI_API_KEY": "canary"})
    assert choice.provider == "offline"
    assert "--model openai/MODEL" in choice.notes[1]
    assert "canary" not in str(choice)


def test_the_built_in_providers_are_chosen_by_name() -> None:
    choice = choose("scripted/some/file.yaml", **ONE)
    assert (choice.provider, choice.model, choice.config) == ("scripted", "some/file.yaml", None)
    assert "scripted/FILE" in (refusal("scripted").hint or "")
    assert "no models" in refusal("offline/gpt").message
    default = {"DITTO_WORKER_INFER_MODEL_PROVIDER": "offline", "DITTO_WORKER_INFER_MODEL": "offline"}
    assert choose(None, **TWO, **default).provider == "offline"


@pytest.mark.parametrize(
    ("name", "kind", "url"),
    [
        ("openai", "openai-compatible", "https://api.openai.com/v1"),
        ("anthropic", "anthropic", "https://api.anthropic.com/v1"),
        ("gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta"),
    ],
)
def test_a_preset_needs_only_the_vendors_usual_variable(name: str, kind: str, url: str) -> None:
    variable = f"{name.upper()}_API_KEY"
    choice = choose(f"{name}/m", {variable: "sk-canary"}, **ONE)
    assert choice.preset
    assert choice.config is not None
    assert (choice.config.kind, choice.config.base_url, choice.model) == (kind, url, "m")
    assert choice.config.api_key is not None
    assert choice.config.api_key.reveal() == "sk-canary"
    assert "canary" not in repr(choice)
    assert variable in refusal(f"{name}/m").message
    assert variable in refusal(f"{name}/m", {variable: ""}).message
    assert f"{name}/MODEL" in (refusal(name, {variable: "k"}).hint or "")
    assert "canary" not in str(refusal(f"{name}/m", {variable: "canary\n"}))


def test_a_configured_provider_comes_before_the_preset_of_its_name() -> None:
    env = {"DITTO_SHARED_PROVIDERS": "openai", f"{P}OPENAI_BASE_URL": "https://gateway.example.com"}
    choice = choose("openai/m", {"OPENAI_API_KEY": "k"}, **env)
    assert not choice.preset
    assert choice.config is not None
    assert (choice.config.base_url, choice.config.api_key) == ("https://gateway.example.com", None)


def test_a_preset_key_in_the_configuration_does_not_count() -> None:
    assert "process environment" in refusal("openai/m", {}, OPENAI_API_KEY="k").message


@pytest.mark.parametrize("requested", ["opnai/x", "c/x", "gpt-5", "", "/x"])
def test_an_unknown_provider_says_which_there_are(requested: str) -> None:
    assert "configured are a, b" in refusal(requested, **TWO).message


def test_an_unknown_provider_names_the_nearest() -> None:
    assert (refusal("opnai/x").hint or "").startswith("Did you mean openai? ")
    assert (refusal("ofline").hint or "").startswith("Did you mean offline? ")
    assert "no model after" in refusal("a/", **ONE).message


def test_an_unknown_provider_says_which_can_be_used() -> None:
    assert refusal("foo/bar").hint == "Usable are offline, scripted/FILE."
    assert refusal("foo/bar", **TWO).hint == "Usable are offline, scripted/FILE, a/MODEL, b/MODEL."


def test_a_preset_that_an_untrusted_project_configures_is_about_trust_first() -> None:
    for name in ("DITTO_SHARED_PROVIDERS", f"{P}OPENAI_API_KEY"):
        ignored = (Ignored(name, "configures a provider", ".env:1"),)
        with pytest.raises(ConfigError, match="not trusted"):
            choose_model(RuntimeConfig(ignored=ignored), "openai", {})
    other = (Ignored(f"{P}DEEPSEEK_API_KEY", "sets the key of a provider", ".env:1"),)
    with pytest.raises(ConfigError, match="which model of openai"):
        choose_model(RuntimeConfig(ignored=other), "openai", {})


def test_an_ignored_provider_is_never_replaced_by_offline() -> None:
    ignored = (Ignored("DITTO_SHARED_PROVIDERS", "enables providers", ".env:1"),)
    for requested in (None, "deepseek", "deepseek/x"):
        with pytest.raises(ConfigError, match="not trusted") as caught:
            choose_model(RuntimeConfig(ignored=ignored), requested, {})
        assert "--trust-project" in (caught.value.hint or "")
    assert choose_model(RuntimeConfig(ignored=ignored), "offline", {}).provider == "offline"
    harmless = (Ignored("runtime.timeoutMs", "raises a limit", "ditto.yaml:1", "limit"),)
    assert choose_model(RuntimeConfig(ignored=harmless), None, {}).provider == "offline"
