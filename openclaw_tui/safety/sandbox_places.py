"""Which places a sandboxed command may write, may only read, and does not see at all.

Every place is one mount; deeper ones are put over shallower ones, so that a project inside a hidden folder is there and
a secret inside the project's folder is not. Only what exists is named, by its real path. Nothing is mounted here.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from openclaw_tui.safety.command_tables import names
from openclaw_tui.safety.permission_rules import Places

_SECRETS_AT_HOME = (
    *names(".ssh .gnupg .aws .azure .kube .docker .oci .bluemix .fly .databrickscfg .vault-token .terraform.d .chef"),
    *names(".netrc .git-credentials .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .mylogin.cnf .s3cfg .boto .htpasswd"),
    *names(".cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings-security.xml .password-store"),
    *names(".config/gh .config/hub .config/glab-cli .config/gcloud .config/git/credentials .config/op .config/rclone"),
    *names(".config/doctl .config/heroku .config/github-copilot .config/containers/auth.json .config/sops .config/age"),
    *names(".local/share/keyrings .local/share/kwalletd .local/share/fish/fish_history .local/share/python_keyring"),
    *names(".mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge"),
    *names(".bitcoin .ethereum .electrum .config/solana .1password .bash_history .zsh_history .python_history"),
    *names(".node_repl_history .psql_history .mysql_history .claude.json .claude/.credentials.json .codex/auth.json"),
    *names(".gemini/oauth_creds.json .config/anthropic .config/openai .openclaw"),
)
_SECRETS_OF_THE_SYSTEM = tuple(
    map(Path, names("/etc/shadow /etc/gshadow /etc/sudoers /etc/ssl/private /etc/krb5.keytab /var/lib/docker"))
)
_DOORS_OUT = tuple(
    map(
        Path,
        names(
            "/run/user /run/docker.sock /run/docker /run/podman /run/containerd /run/dbus /run/systemd/private"
            " /run/crio /run/snapd.socket /run/screen /run/tmux /run/lxd /run/secrets /run/libvirt /run/buildkit"
            " /var/lib/lxd /run/systemd/journal /var/snap/lxd"
        ),
    )
)
"""Sockets by which a program outside could be made to act, and where systems put secrets of services."""

_OBEYED = (
    *names(
        ".git/hooks .git/config .openclaw .claude .agents .bashrc .bash_profile .bash_login .profile .zshrc .zshenv"
    ),
    *names(".zprofile .zlogin .gitconfig .config/git .config/fish .config/systemd .config/autostart .local/bin"),
)
"""What other programs obey without being asked: not written by a command, also where its folder may be written."""


class Mount(msgspec.Struct, frozen=True):
    """`kind` in the order in which mounts of one and the same place go over each other."""

    place: Path
    kind: int
    source: Path


HIDDEN, READABLE, WRITABLE, PROTECTED = range(4)


def mounts(
    places: Places, *, hidden: Sequence[Path], readable: Sequence[Path], writable: Sequence[Path], shown: Sequence[Path]
) -> list[Mount]:
    """All mounts over a read-only system, shallow ones first. `shown` are places taken off the hidden ones."""
    roots = _present([places.root, *places.added, *writable])
    git = _present(_git_folders(roots))
    kept = set(_present(shown))
    secret = [*hidden, *(Path.home() / name for name in _SECRETS_AT_HOME), *_SECRETS_OF_THE_SYSTEM, *_DOORS_OUT]
    obeyed = [root / name for root in roots for name in _OBEYED]
    obeyed += [folder / name for folder in git for name in ("hooks", "config")]
    found = {
        **{(place, HIDDEN): place for place in _present(secret) if place not in kept},
        **{(place, READABLE): place for place in _present([*readable, *shown])},
        **{(place, WRITABLE): place for place in (*roots, *git)},
        **{(place, PROTECTED): place for place in _present(obeyed) if any(map(place.is_relative_to, (*roots, *git)))},
    }
    whole = [Mount(place, kind, source) for (place, kind), source in found.items()]
    return sorted(whole, key=lambda mount: (len(mount.place.parts), mount.kind, mount.place))


def _present(paths: Iterable[Path]) -> list[Path]:
    """Real paths of what exists, each once; never the root of the file system."""
    real = (Path(os.path.realpath(path)) for path in paths if os.path.lexists(path))
    return [path for path in dict.fromkeys(real) if path.exists() and path != Path("/")]


def _git_folders(roots: Sequence[Path]) -> Iterator[Path]:
    """Where git keeps the history of a project that is a folder of a repository or a working tree beside one."""
    for root in roots:
        for folder in (root, *root.parents):
            marker = folder / ".git"
            if marker.is_dir() and (marker / "HEAD").is_file():
                yield marker
            elif marker.is_file():
                yield from _of_working_tree(marker)
            if os.path.lexists(marker):
                break


def _of_working_tree(marker: Path) -> Iterator[Path]:
    """The repository a working tree belongs to, where the repository says so too: anybody can write a `.git` file."""
    try:
        named = marker.read_text(encoding="utf-8").strip()
        folder = marker.parent / named.removeprefix("gitdir:").strip()
        back = (folder / "gitdir").read_text(encoding="utf-8").strip()
        common = folder / (folder / "commondir").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return
    theirs = named.startswith("gitdir:") and os.path.realpath(back) == os.path.realpath(marker)
    within = Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(common))
    if theirs and within and (common / "HEAD").is_file():
        yield common
