"""Which names are secret and which are protected, however they are spelt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.sandbox.secrets import is_protected, is_secret


@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".ENV", "a/b/.env", ".env.local", ".Env.Production", ".env.example.bak", ".env~", ".env/x"),
        *("id_rsa", "keys/id_ed25519", "server.pem", "tls/SERVER.KEY", "cert.p12", "store.jks", "x.ppk"),
        *(".netrc", "_netrc", ".npmrc", "sub/.pypirc", ".git-credentials", ".pgpass"),
        *(".aws/credentials", ".aws", "home/.AWS/config", ".ssh/known_hosts", ".gnupg/x", ".kube/config", ".azure/x"),
        *(".config/gcloud/x", ".docker/config.json", "．ｅｎｖ", ".e\u200dnv"),
    ],
)
def test_a_secret_name_is_recognised(path: str) -> None:
    assert is_secret(path)
    assert is_protected(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".", "README.md", ".env.example", "a/.env.sample", ".env.template", "env", ".envoy", "x.env", "environment"),
        *("id_rsa.pub", "keynote", "monkey", "config/gcloud/x", ".config/x", ".docker/Dockerfile", "aws/x"),
        *(".gitignore", ".github/workflows/ci.yaml", "ditto.yaml.md", "git/x", "vscode", "profile"),
    ],
)
def test_an_ordinary_name_is_neither_secret_nor_protected(path: str) -> None:
    assert not is_secret(path)
    assert not is_protected(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".git", ".git/config", "sub/.git/hooks/x", ".GIT/x", "ditto.yaml", "a/Ditto.YAML", ".mcp.json", ".envrc"),
        *(".bashrc", ".zshrc", ".profile", "home/.bash_profile", ".vscode/tasks.json", ".idea/x", ".gitconfig"),
    ],
)
def test_a_protected_name_may_be_read_but_not_written(path: str) -> None:
    assert is_protected(path)
    assert not is_secret(path)


@given(st.text(max_size=20))
def test_any_text_gets_an_answer(path: str) -> None:
    assert is_secret(f"{path}/.env/{path}")
    assert is_protected(path) or not is_secret(path)
