"""Names of files that hold secrets (never readable) and of files that run or grant something (never writable).

Both sets hold at any depth, without regard to case, and whether or not the file exists. They go by name only: a
hard link to a secret file under another name is not recognised.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_ENV_TEMPLATES = frozenset({".env.example", ".env.sample", ".env.template"})
_ENV_FILES = (".env", ".env.*", ".env~", "#.env#", ".#.env")
_PRIVATE_KEYS = (
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore"),
)
_CREDENTIALS = (
    *(".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".databrickscfg"),
    *(".boto", ".s3cfg", "credentials.tfrc.json", "application_default_credentials.json"),
)
SECRET_NAMES = (*_ENV_FILES, *_PRIVATE_KEYS, *_CREDENTIALS)
"""Patterns for one part of a path, with a `*` at the beginning or at the end if there is one."""

_WHOLE_NAMES = frozenset(pattern for pattern in SECRET_NAMES if "*" not in pattern)
_BEGINNINGS = tuple(pattern.removesuffix("*") for pattern in SECRET_NAMES if pattern.endswith("*"))
_ENDINGS = tuple(pattern.removeprefix("*") for pattern in SECRET_NAMES if pattern.startswith("*"))

SECRET_FOLDERS = (
    *((".aws",), (".azure",), (".gcloud",), (".config", "gcloud"), (".config", "gh"), (".kube",), (".oci",)),
    *((".aliyun",), (".bluemix",), (".docker", "config.json"), (".ssh",), (".gnupg",)),
)
"""Folders that belong to a cloud or key tool: everything in them is secret."""

PROTECTED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".vscode", ".idea", ".zed", ".fleet", ".cursor", ".devcontainer", ".husky"}
)
"""Version control, editor tasks and hooks: what is written there runs later. Also a plain file of that name."""

PROTECTED_NAMES = frozenset(
    {
        *("ditto.yaml", ".mcp.json", ".gitconfig", ".envrc"),
        *(".profile", ".login", ".logout", ".inputrc", ".xprofile", ".xinitrc", ".xsession", "config.fish"),
        *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".kshrc", ".cshrc", ".tcshrc"),
        *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"),
        *(".exrc", ".vimrc", ".gvimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el"),
    }
)
"""Files that grant power or run code when a shell, an editor or Ditto starts."""


def fold(text: str) -> str:
    """Returns `text` as a forgiving file system compares it: one case, composed, without invisible characters."""
    if text.isascii():
        return text.lower()
    visible = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", visible).casefold())


def is_secret(path: str) -> bool:
    """Whether the relative `path` names a secret file, or something in a secret folder."""
    parts = fold(path).split("/")
    return any(_secret_name(part) for part in parts) or _holds(parts, SECRET_FOLDERS)


def is_protected(path: str) -> bool:
    """Whether the relative `path` may never be written. Secret files are never written either."""
    parts = fold(path).split("/")
    return any(part in PROTECTED_FOLDERS or part in PROTECTED_NAMES for part in parts) or is_secret(path)


def _secret_name(name: str) -> bool:
    listed = name in _WHOLE_NAMES or name.startswith(_BEGINNINGS) or name.endswith(_ENDINGS)
    return listed and name not in _ENV_TEMPLATES


def _holds(parts: Sequence[str], runs: Sequence[tuple[str, ...]]) -> bool:
    return any(tuple(parts[at : at + len(run)]) == run for run in runs for at in range(len(parts) - len(run) + 1))
