"""ditto.yaml as typed data: defaults, ranges, and messages at the right place."""

import pytest
from pydantic import ValidationError

from ditto_core.errors import ConfigError
from ditto_core.settings.rules import parse_rule
from ditto_core.settings.schema import Settings
from ditto_core.settings.schema_check import read_settings, valid_keys
from ditto_core.settings.yaml_file import load_yaml


def read(text: str, *, user_file: bool = False) -> Settings:
    return read_settings(load_yaml(text, "f.yaml"), user_file=user_file)


def refusal(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return caught.value


def nested(path: str, value: str) -> str:
    keys = path.split(".")
    return "".join("  " * depth + f"{key}:\n" for depth, key in enumerate(keys))[:-1] + f" {value}\n"


def test_the_defaults_are_the_librarys() -> None:
    runtime = Settings().runtime
    assert runtime.timeout_ms == 30_000
    assert runtime.graph_concurrency is None
    assert runtime.loop_max_iterations == 32
    assert runtime.max_turns == 8
    assert (runtime.react.max_action_calls, runtime.react.max_repeats, runtime.react.max_total_tokens) == (16, 3, None)
    assert (runtime.sandbox.timeout_ms, runtime.sandbox.max_output_bytes) == (5_000, 65_536)
    assert runtime.sandbox.min_level is None
    assert (runtime.policy.deny, runtime.policy.ask) == ((), ())
    workers = Settings().workers
    assert workers.infer.generation.max_tokens is None
    assert workers.context.policy.max_inline_bytes == 65_536
    assert workers.context.local_cache.max_entries == 1_000
    assert workers.interaction.commands.max_error_bytes == 8_192
    assert workers.interaction.web_search.max_response_bytes == 1_048_576
    assert dict(workers.interaction.mcp.servers) == {}
    assert (workers.memory.query_limit, workers.memory.search_limit, workers.retrieval.search_limit) == (100, 10, 10)


def test_settings_cannot_be_changed_at_any_depth() -> None:
    settings = read("shared: {providers: {a: {options: {x: [1]}}}}\nruntime: {policy: {deny: ['read:x']}}")
    with pytest.raises(ValidationError):
        settings.runtime.timeout_ms = 1  # type: ignore[misc]  # the point of the test
    with pytest.raises(TypeError):
        settings.shared.providers["b"] = settings.shared.providers["a"]  # type: ignore[index]  # the point of the test
    with pytest.raises(TypeError):
        settings.shared.providers["a"].options["x"].append(2)
    assert isinstance(settings.runtime.policy.deny, tuple)


def test_a_heading_with_everything_below_it_commented_out_is_an_empty_group() -> None:
    assert read("runtime:\n  # timeoutMs: 1\nshared:\n  providers:\nworkers:\n") == Settings()


@pytest.mark.parametrize(
    ("path", "low", "high"),
    [
        ("runtime.timeoutMs", 1, 2_147_483_647),
        ("runtime.maxTurns", 1, 1_000_000),
        ("runtime.graphConcurrency", 1, 1_000_000),
        ("runtime.loopMaxIterations", 1, 1_000_000),
        ("runtime.react.maxActionCalls", 0, 1_000_000),
        ("runtime.react.maxRepeats", 0, 1_000_000),
        ("runtime.react.maxTotalTokens", 1, 1_000_000_000),
        ("runtime.sandbox.timeoutMs", 1, 2_147_483_647),
        ("runtime.sandbox.maxOutputBytes", 1, 16_777_216),
        ("shared.providers.a.timeouts.connectMs", 1, 2_147_483_647),
        ("workers.context.policy.maxItems", 1, 1_000_000),
        ("workers.context.queue.maxPending", 1, 1_000_000),
        ("workers.interaction.commands.maxEntries", 1, 10_000),
        ("workers.interaction.commands.maxOutputBytes", 1, 1_048_576),
        ("workers.interaction.commands.maxErrorBytes", 1, 65_536),
        ("workers.interaction.webSearch.maxResponseBytes", 1, 16_777_216),
        ("workers.memory.queryLimit", 1, 1_000_000),
    ],
)
def test_every_limit_has_its_range(path: str, low: int, high: int) -> None:
    for value in (low, high):
        read(nested(path, str(value)))
    for wrong in (str(low - 1), str(high + 1), "-1", "1.5", "1e3", "true", "'5'", "[]", "{}"):
        error = refusal(nested(path, wrong))
        assert error.key == path
        assert error.where is not None
        assert error.where.startswith(f"f.yaml:{path.count('.') + 1}:")


@pytest.mark.parametrize("path", ["runtime.timeoutMs", "runtime.maxTurns", "runtime.sandbox.maxOutputBytes"])
def test_null_is_no_way_to_switch_a_limit_off(path: str) -> None:
    assert refusal(nested(path, "null")).key == path


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("runtime:\n  timeout_ms: 1\n", "runtime.timeout_ms", "timeoutMs"),
        ("runtime:\n  TimeoutMS: 1\n", "runtime.TimeoutMS", "timeoutMs"),
        ("runtime:\n  max_turn: 1\n", "runtime.max_turn", "maxTurns"),
        ("runtime:\n  policy: {denny: []}\n", "runtime.policy.denny", "deny"),
        ("runtime:\n  react: {maxActionCall: 1}\n", "runtime.react.maxActionCall", "maxActionCalls"),
        ("worker: {}\n", "worker", "workers"),
        ("shared: {providers: {a: {timeouts: {idle: 1}}}}", "shared.providers.a.timeouts.idle", "idleMs"),
        ("workers: {infer: {generation: {max_tokens: 1}}}", "workers.infer.generation.max_tokens", "maxTokens"),
        ("workers: {context: {localcache: {}}}", "workers.context.localcache", "localCache"),
        ("workers: {context: {zzz: {}}}", "workers.context.zzz", "policy, cache, localCache, queue"),
    ],
)
def test_a_misspelt_key_names_the_nearest_one(text: str, key: str, hint: str) -> None:
    error = refusal(text)
    assert error.key == key
    assert "unknown key" in error.message
    assert hint in (error.hint or "")


def test_the_first_problem_of_the_file_is_told_and_the_others_are_counted() -> None:
    error = refusal("runtime:\n  maxTurns: 0\n  timeoutMs: 0\nzzz: 1\n")
    assert error.where == "f.yaml:2:13"
    assert "(and 2 more)" in error.message


@pytest.mark.parametrize(
    ("field", "variable"),
    [
        ("apiKey", "API_KEY"),
        ("api_key", "API_KEY"),
        ("key", "API_KEY"),
        ("token", "API_KEY"),
        ("baseUrl", "BASE_URL"),
        ("base_url", "BASE_URL"),
        ("url", "BASE_URL"),
        ("kind", "KIND"),
        ("model", "MODEL"),
    ],
)
def test_deployment_of_a_provider_in_yaml_is_refused_with_its_variable(field: str, variable: str) -> None:
    error = refusal(f"shared: {{providers: {{deepseek: {{{field}: canary-value}}}}}}")
    assert f"DITTO_SHARED_PROVIDER_DEEPSEEK_{variable}" in (error.hint or "")
    assert "canary" not in f"{error}{error.hint}"


def test_a_credential_hidden_in_the_options_is_refused() -> None:
    error = refusal("shared: {providers: {a: {options: {deep: [{Authorization: canary}]}}}}")
    assert "DITTO_SHARED_PROVIDER_A_API_KEY" in error.message
    assert "canary" not in str(error)
    read("shared: {providers: {a: {options: {thinking: {type: enabled, budget_tokens: 5}}}}}")


@pytest.mark.parametrize("text", ["runtime: {network: {proxy: 'http://p'}}", "runtime: {sandbox: {minLevel: weak}}"])
def test_keys_of_the_users_own_file_are_refused_elsewhere(text: str) -> None:
    assert "only your own file" in refusal(text).message
    read(text, user_file=True)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("reed:x", "Did you mean read?"),
        ("tools:x", "Did you mean tool?"),
        ("readme", "KIND:PATTERN"),
        ("read:", "empty"),
        ("read:/etc/**", "matches nothing"),
        ("write:a/../b", "matches nothing"),
        ("read:~/x", "matches nothing"),
        ("network:example.com", "matches nothing"),
        ("network:https://example.com/path", "without a path"),
        ("tool:" + "x" * 1025, "longer than 1024"),
        ("read: x", "white space"),
        ("read:a\\nb", "control character"),
        (":x", "one of read, write"),
    ],
)
def test_a_rule_is_checked(rule: str, words: str) -> None:
    error = refusal(f'runtime: {{policy: {{deny: ["read:ok", "{rule}"]}}}}')
    assert error.key == "runtime.policy.deny[1]"
    assert words in error.message


def test_a_rule_is_a_kind_and_a_pattern() -> None:
    assert parse_rule("network:https://example.com:8443") == ("network", "https://example.com:8443")
    assert parse_rule("network:https://*.example.com") == ("network", "https://*.example.com")
    assert parse_rule("network:*") == ("network", "*")
    assert parse_rule("mcp:github/*") == ("mcp", "github/*")
    rules = read("runtime: {policy: {ask: ['tool:write_text', 'read:docs/**']}}").runtime.policy.ask
    assert rules == ("tool:write_text", "read:docs/**")


def test_a_list_of_rules_must_be_a_list() -> None:
    for value in ("null", "read:x", "{}"):
        assert "a list is needed" in refusal(f"runtime: {{policy: {{deny: {value}}}}}").message


@pytest.mark.parametrize("group", ["constraints", "strategies", "deliberate"])
def test_a_group_without_settings_accepts_no_key(group: str) -> None:
    read(f"workers: {{infer: {{{group}: {{}}}}}}")
    assert "unknown key" in refusal(f"workers: {{infer: {{{group}: {{maxSteps: 1}}}}}}").message


def test_a_words_choice_is_told() -> None:
    error = refusal("workers: {context: {policy: {duplicate: merge}}}")
    assert "'replace', 'keep-first' or 'reject'" in error.message
    assert "merge" not in error.message


def test_the_keys_of_every_group_can_be_asked_for() -> None:
    assert valid_keys(()) == ("runtime", "shared", "workers")
    assert "maxTokensField" in valid_keys(("shared", "providers", "any"))
    assert "bearerFromEnv" in valid_keys(("workers", "interaction", "mcp", "servers", "any"))
    assert valid_keys(("nowhere", "at", "all")) == ()


def test_there_is_a_json_schema_for_editors() -> None:
    schema = Settings.model_json_schema()
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["RuntimeSettings"]["properties"]["timeoutMs"]["maximum"] == 2_147_483_647


def test_settings_survive_the_way_through_json() -> None:
    settings = read("runtime: {maxTurns: 3}\nworkers: {interaction: {mcp: {servers: {g: {command: git, args: [a]}}}}}")
    assert Settings.model_validate(settings.to_wire()) == settings
