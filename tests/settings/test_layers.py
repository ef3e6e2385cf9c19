"""Layers of ditto.yaml: how they merge, and where each value came from."""

from pathlib import Path

import pytest

from ditto_core.errors import ConfigError
from ditto_core.settings.layers import Layer, LayerName, MergedSettings, load_layer, merge_layers

SERVERS = ("workers", "interaction", "mcp", "servers")


def layer(folder: Path, name: LayerName, text: str) -> Layer:
    path = folder / name / "ditto.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    loaded = load_layer(name, path)
    assert loaded is not None
    return loaded


def merged(folder: Path, packaged: str = "", user: str = "", project: str = "") -> MergedSettings:
    texts: list[tuple[LayerName, str]] = [("packaged", packaged), ("user", user), ("project", project)]
    return merge_layers([layer(folder, name, text) for name, text in texts])


def server(body: str, name: str = "x") -> str:
    return f"workers: {{interaction: {{mcp: {{servers: {{{name}: {{{body}}}}}}}}}}}"


def test_a_layer_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert load_layer("user", tmp_path / "none.yaml") is None
    with pytest.raises(ConfigError):
        load_layer("project", tmp_path / "none.yaml", optional=False)


def test_mappings_merge_key_by_key_and_other_values_replace(tmp_path: Path) -> None:
    result = merged(
        tmp_path,
        "runtime: {timeoutMs: 1, maxTurns: 1}\nworkers: {infer: {generation: {stop: [a, b], maxTokens: 1}}}",
        "runtime: {timeoutMs: 2}\nworkers: {infer: {generation: {stop: [c]}}}",
        "runtime: {loopMaxIterations: 3}",
    )
    runtime = result.settings.runtime
    assert (runtime.timeout_ms, runtime.max_turns, runtime.loop_max_iterations) == (2, 1, 3)
    assert result.settings.workers.infer.generation.stop == ("c",)
    assert result.settings.workers.infer.generation.max_tokens == 1


def test_null_replaces_a_value_but_an_empty_heading_replaces_nothing(tmp_path: Path) -> None:
    result = merged(
        tmp_path, "runtime: {graphConcurrency: 8, maxTurns: 2}", "runtime:\n", "runtime: {graphConcurrency: null}"
    )
    assert result.settings.runtime.graph_concurrency is None
    assert result.settings.runtime.max_turns == 2


def test_request_options_of_a_provider_merge_deeply(tmp_path: Path) -> None:
    result = merged(
        tmp_path,
        user="shared: {providers: {a: {options: {x: {p: 1, q: 2}, y: {z: 1}}}}}",
        project="shared: {providers: {a: {options: {x: {q: 3}, y: null}}}}",
    )
    assert result.settings.shared.providers["a"].options == {"x": {"p": 1, "q": 3}, "y": None}


def test_deny_and_ask_are_unions_over_all_layers(tmp_path: Path) -> None:
    result = merged(
        tmp_path,
        "runtime: {policy: {deny: ['read:a']}}",
        "runtime: {policy: {deny: ['read:b', 'read:a'], ask: ['tool:x']}}",
        "runtime:\n  policy:\n    deny:\n      - read:c\n    ask: []\n",
    )
    assert result.settings.runtime.policy.deny == ("read:a", "read:b", "read:c")
    assert result.settings.runtime.policy.ask == ("tool:x",)
    origin = result.origin(("runtime", "policy", "deny", 2))
    assert origin is not None
    assert origin == ("project", f"{tmp_path}/project/ditto.yaml:4:9")


def test_a_server_is_taken_whole_from_one_layer(tmp_path: Path) -> None:
    result = merged(
        tmp_path,
        server("command: a, args: [b], env: {C: d}"),
        server("url: 'https://x.y'"),
        server("command: z", "own"),
    )
    servers = result.settings.workers.interaction.mcp.servers
    assert servers["x"].url == "https://x.y"
    assert (servers["x"].command, servers["x"].args) == (None, ())
    assert servers["own"].command == "z"
    assert result.origin((*SERVERS, "x", "url")) == ("user", f"{tmp_path}/user/ditto.yaml:1:44")


def test_a_project_cannot_redefine_a_server_of_an_earlier_layer(tmp_path: Path) -> None:
    for earlier in ({"packaged": server("builtin: files", "files")}, {"user": server("command: a", "files")}):
        with pytest.raises(ConfigError, match="cannot redefine") as caught:
            merged(tmp_path, **earlier, project=server("command: evil", "files"))
        assert caught.value.key == "workers.interaction.mcp.servers.files"
        assert str(caught.value.where).startswith(f"{tmp_path}/project/ditto.yaml:1:")


def test_a_project_may_repeat_a_server_word_for_word(tmp_path: Path) -> None:
    same = server("builtin: files", "files")
    result = merged(tmp_path, packaged=same, project=same)
    origin = result.origin((*SERVERS, "files"))
    assert origin is not None
    assert origin.layer == "packaged"


def test_every_value_that_a_file_set_has_its_origin(tmp_path: Path) -> None:
    result = merged(tmp_path, "runtime:\n  timeoutMs: 1\n  maxTurns: 1\n", "", "runtime:\n  maxTurns: 2\n")
    assert result.origin(("runtime", "timeoutMs")) == ("packaged", f"{tmp_path}/packaged/ditto.yaml:2:14")
    assert result.origin(("runtime", "maxTurns")) == ("project", f"{tmp_path}/project/ditto.yaml:2:13")
    assert result.origin(("runtime", "loopMaxIterations")) is None


def test_keys_of_the_users_own_file_count_there_only(tmp_path: Path) -> None:
    text = "runtime: {sandbox: {minLevel: weak}, network: {proxy: 'http://p:1'}}"
    assert merged(tmp_path, user=text).settings.runtime.sandbox.min_level == "weak"
    for wrong in ("packaged", "project"):
        with pytest.raises(ConfigError, match="only your own file"):
            merged(tmp_path, **{wrong: text})


def test_paths_are_relative_to_the_file_that_holds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    body = "command: a, args: ['./kept'], cwd: sub/.., sandbox: {read: [., ~/notes, /abs], write: [../out]}"
    result = merged(tmp_path, user=server(body) + "\nruntime: {network: {caFile: ca.pem}}")
    found = result.settings.workers.interaction.mcp.servers["x"]
    assert found.cwd == f"{tmp_path}/user"
    assert found.args == ("./kept",)
    assert found.sandbox.read == (f"{tmp_path}/user", "/home/me/notes", "/abs")
    assert found.sandbox.write == (f"{tmp_path}/out",)
    assert result.settings.runtime.network.ca_file == f"{tmp_path}/user/ca.pem"


def test_the_data_of_a_layer_is_not_changed_by_merging(tmp_path: Path) -> None:
    packaged = layer(tmp_path, "packaged", "runtime: {policy: {deny: ['read:a']}, react: {maxRepeats: 1}}")
    user = layer(tmp_path, "user", "runtime: {policy: {deny: ['read:b']}, react: {maxRepeats: 2}}")
    merge_layers([packaged, user])
    assert merge_layers([packaged]).settings.runtime.policy.deny == ("read:a",)
    assert merge_layers([packaged]).settings.runtime.react.max_repeats == 1
