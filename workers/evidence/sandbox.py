"""Runs a command over somebody else's code without letting it out: for tests, linters and compilers (docs/evidence.md).

It sees the machine read-only, without secrets, network, other processes and their sockets, and can write to nothing but
the folders named. The guardian of agents (workers/host/guardian.py) ends it with everything that it started.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.agent_kinds import KINDS, PLACES
from orchestrator.domain.dataclass import dataclass
from workers.agents.programs.process import Confinement, Ended, GuardedProcess
from workers.agents.protocol import Timeouts
from workers.evidence.execution import MEMORY_BYTES, OUTPUT_BYTES, PROCESSES
from workers.evidence.package_caches import maven_repository
from workers.host.live_runs import Guardian

THREADS = 4  # for each of them; the kernel counts those, though not those of root
FILE_BYTES = 2 * 1024**3  # of one file that it writes
FREE_BYTES = 256 * 1024**2  # that it leaves on the disks of the folders it may write to
TMP_BYTES = 1024**3  # in the /tmp of its own, and as much in /dev/shm
FIRST_LEASE = 5.0  # seconds; the host extends it as soon as it knows the guardian
LEASE = 86_400.0  # seconds, where no host extends it
POLL_SECONDS = 0.2  # between two checks of `stop`
TRY_SECONDS = 10.0  # for a program that does nothing

_SECRET = (  # below the home folder
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".password-store",
    ".vault-token",
    ".config/gh",
    ".config/gcloud",
    ".config/git/credentials",
    ".config/hub",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".terraform.d",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    *PLACES,
)
_OF_AGENTS = tuple(kind.xdg for kind in KINDS.values() if kind.xdg)
_XDG = {
    "XDG_CONFIG_HOME": ("gh", "gcloud", "git/credentials", "hub", "google-chrome", "chromium", *_OF_AGENTS),
    "XDG_DATA_HOME": ("keyrings", *_OF_AGENTS),
    "XDG_STATE_HOME": _OF_AGENTS,
}
_NAMED = (  # variables that name a place of secrets
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "GNUPGHOME",
    "KUBECONFIG",
    "DOCKER_CONFIG",
    "NETRC",
    "NPM_CONFIG_USERCONFIG",
    "PIP_CONFIG_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLOUDSDK_CONFIG",
    "GH_CONFIG_DIR",
    "SSH_AUTH_SOCK",
    "XDG_RUNTIME_DIR",
)
_SOCKETS = (  # a read-only file system does not keep anybody from talking to who listens there
    "/run/user",
    "/run/dbus",
    "/run/docker.sock",
    "/run/docker",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/systemd/private",
    "/run/systemd/io.systemd.system",
    "/run/snapd.socket",
    "/run/libvirt",
    "/run/postgresql",
    "/run/mysqld",
    "/run/redis",
)
_SEEN = ("PATH", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "JAVA_HOME", "GOROOT", "PYENV_VERSION")
_TOOLS = {  # where tools keep themselves and what they fetched, which they would look for in the home folder
    "PYENV_ROOT": ".pyenv",
    "RUSTUP_HOME": ".rustup",
    "CARGO_HOME": ".cargo",
    "GOMODCACHE": "go/pkg/mod",
    "NVM_DIR": ".nvm",
    "VOLTA_HOME": ".volta",
    "ASDF_DATA_DIR": ".asdf",
    "MISE_DATA_DIR": ".local/share/mise",
    "SDKMAN_DIR": ".sdkman",
}


@dataclass(frozen=True, slots=True)
class Confined:
    """How a command ended and what it printed; `why` there was no sandbox when `confined` is False."""

    ended: Ended
    out: str  # at most OUTPUT_BYTES, the last of them
    err: str
    confined: bool
    why: str = ""


def run_confined(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    writable: Sequence[Path],
    folder: Path,
    run: str,
    timeouts: Timeouts,
    stop: threading.Event,
    hidden: Sequence[Path],
    readable: Sequence[Path] = (),
    on_guardian: Callable[[Guardian], None] | None = None,
    network: bool = False,
    allow_unconfined: bool = False,
    memory_bytes: int = MEMORY_BYTES,
    processes: int = PROCESSES,
    file_bytes: int = FILE_BYTES,
) -> Confined:
    """The command's end and output; when this returns, nothing that it started is left.

    `folder` is the run's own, for `calls/`; `run` marks every process. `hidden` are covered (`hidden_places`). /tmp is
    empty and its own: what has to be seen below it, or below a hidden folder, is `cwd`, `writable` or `readable`. Printing
    more than `timeouts.output_bytes` ends it. Where there is no sandbox, nothing runs and `ended.ended_by` is
    "unconfined", unless `allow_unconfined`. Raises AgentUnavailable when no process can be started, FileNotFoundError
    when `cwd` or one of `writable` is not there.
    """
    writable_places = _there(writable)
    confinement = Confinement(
        (),
        writable_places,
        everything=True,
        hidden=_real(hidden),
        visible=_there([cwd, *filter(os.path.lexists, readable)]),
        network=network,
        tmp_bytes=TMP_BYTES,
    )

    def once(confine: Confinement | None, why: str = "") -> Confined:
        with GuardedProcess(
            argv,
            cwd=Path(os.path.realpath(cwd)),
            env=env,
            stdin=b"",
            timeouts=timeouts,
            run=run,
            lease_seconds=FIRST_LEASE if on_guardian else LEASE,
            run_dir=folder,
            rlimits={"NPROC": THREADS * processes, "FSIZE": file_bytes},
            confine=confine,
            memory_bytes=memory_bytes,
            processes=processes,
            free_bytes=dict.fromkeys(writable_places, FREE_BYTES),
        ) as process:
            if on_guardian is not None:
                on_guardian(process)
            while (ended := process.wait(POLL_SECONDS)) is None:
                if stop.is_set():
                    process.stop("the run is over")
            out, err = process.stdout_tail(OUTPUT_BYTES).text, process.stderr_tail(OUTPUT_BYTES).text
        if ended.ended_by == "unconfined":
            return Confined(ended, out, err, False, ended.error)
        return Confined(ended, out, err, confine is not None, why)

    first = once(confinement)
    if first.ended.ended_by != "unconfined" or not allow_unconfined:
        return first
    return once(None, first.why)


def hidden_places(environ: Mapping[str, str], project: Path | None = None) -> list[Path]:
    """What a command over somebody else's code must not see: logins, keys, agents' homes, sockets, and `.workflow`."""
    home = home_folder(environ)
    of_agents = [name for kind in KINDS.values() for name in kind.homes if not name.startswith("XDG_")]
    named = [Path(environ[name]) for name in (*_NAMED, *of_agents) if environ.get(name, "").startswith("/")]
    below = [
        Path(environ[name], place)
        for name, places in _XDG.items()
        if environ.get(name, "").startswith("/")
        for place in places
    ]
    ours = [] if project is None else [project / ".workflow"]
    found = [*(home / name for name in _SECRET), *named, *below, *map(Path, _SOCKETS), *ours]
    return [path for path in found if not home.is_relative_to(path)]  # a tool may live in the home folder


def tools_below_tmp(environ: Mapping[str, str]) -> list[Path]:
    """What a sandbox's empty /tmp would hide of the programs on PATH, our own scripts and Maven's packages, as `readable`.

    Of a folder `bin` it is the one around it, since a virtual environment keeps its libraries beside it.
    """
    tmp = Path("/tmp")  # noqa: S108 - the folder that a sandbox replaces
    folders = [Path(entry) for entry in environ.get("PATH", "").split(os.pathsep) if entry.startswith("/")]
    roots = [folder.parent if folder.name == "bin" else folder for folder in folders]
    packages = maven_repository(home_folder(environ))
    found = [Path(__file__).parent, *(root if root != tmp else root / "bin" for root in roots)]
    found += [packages] if packages.is_dir() else []
    return [
        path for path in dict.fromkeys(map(Path.resolve, found)) if path.is_relative_to(tmp) and path != tmp
    ]


def test_environment(environ: Mapping[str, str], tree: Path, tmp: Path) -> dict[str, str]:
    """The environment of a command over `tree`: the PATH, the language, where tools are, a home and a TMPDIR in `tmp`.

    No secret and nothing of git is in it. The folders in `tmp` are made.
    """
    home, scratch, cache = tmp / "home", tmp / "tmp", tmp / "cache"
    for each in (home, scratch, cache):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = (*_SEEN, *(name for name in environ if name.startswith("LC_")))
    user = home_folder(environ)
    tools = {name: environ.get(name) or str(user / place) for name, place in _TOOLS.items()}
    return {
        **{name: environ[name] for name in names if name in environ},
        **{name: place for name, place in tools.items() if os.path.isdir(place)},  # noqa: PTH112 - it never raises
        "HOME": str(home),
        "TMPDIR": str(scratch),
        "XDG_CACHE_HOME": str(cache),
        "GOCACHE": str(cache / "go-build"),
        "MAVEN_OPTS": _maven_options(user),
        "GRADLE_USER_HOME": str(home / ".gradle"),
        "GRADLE_RO_DEP_CACHE": environ.get("GRADLE_USER_HOME", str(user / ".gradle")) + "/caches",
        "PWD": str(tree),
        "TERM": "dumb",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
    }


def _maven_options(home: Path) -> str:
    """For Maven itself, not for the tests that it starts: Java takes the home folder from the account, not from HOME."""
    return f"-Duser.home={home} -Dmaven.repo.local={maven_repository(home)}"


test_environment.__test__ = False  # type: ignore[attr-defined]  # pytest collects by name


def why_no_sandbox(environ: Mapping[str, str]) -> str | None:
    """Why commands cannot be confined on this machine; None when they can."""
    with tempfile.TemporaryDirectory(prefix="lifecycle-try-") as folder:
        tried = run_confined(
            ["true"],
            cwd=Path(folder),
            env={"PATH": environ.get("PATH", os.defpath)},
            writable=[],
            folder=Path(folder),
            run="try",
            timeouts=Timeouts(total=TRY_SECONDS),
            stop=threading.Event(),
            hidden=[],
        )
    return tried.why if tried.ended.ended_by == "unconfined" else None


def home_folder(environ: Mapping[str, str]) -> Path:
    """The user's, by its variable; without one that of the user that runs this."""
    return Path(environ["HOME"]) if environ.get("HOME", "").startswith("/") else Path.home()


def _there(paths: Sequence[Path]) -> list[str]:
    return list(dict.fromkeys(os.path.realpath(path, strict=True) for path in paths))


def _real(paths: Sequence[Path]) -> list[str]:
    return list(dict.fromkeys(os.path.realpath(path) for path in paths))
