"""Where package managers keep what they fetched: the user's own folders, which a set-up fills and tests only read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression

_NETWORK = expression(  # how to reach registries; for a set-up alone, since an address may hold a password
    r"(?i:(?:https?|all|no)_proxy|npm_config_(?:registry|offline|cafile|proxy|https_proxy|noproxy))"
    r"|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE"
    r"|UV_(?:DEFAULT_INDEX|INDEX|INDEX_URL|OFFLINE)|PIP_(?:INDEX_URL|EXTRA_INDEX_URL|CERT)"
    r"|GO(?:PROXY|PRIVATE|NOPROXY|NOSUMDB|SUMDB|INSECURE)"
    r"|CARGO_(?:NET_OFFLINE|HTTP_PROXY|HTTP_CAINFO|REGISTRIES_\w+)"
)
_LOCAL_REPOSITORY = expression(r"<localRepository>\s*([^<]+?)\s*</localRepository>")


@dataclass(frozen=True, slots=True)
class PackageCache:
    """Of one package manager."""

    folders: tuple[Path, ...] = ()  # that a set-up may write to
    env: Mapping[str, str] = field(default_factory=dict)  # so that it looks there, in set-ups and in tests
    logins: tuple[Path, ...] = ()  # files with logins that a set-up, and nothing else, may read


def package_cache(program: str, environ: Mapping[str, str], home: Path) -> PackageCache:
    """The one that `program` uses; an empty one for those that need none, or must not share theirs.

    pnpm and uv link files out of theirs, so that whoever writes to what was installed would change the cache.
    """
    if program == "npm":
        place = _named(environ, "npm_config_cache", "NPM_CONFIG_CACHE") or home / ".npm"
        login = _named(environ, "npm_config_userconfig", "NPM_CONFIG_USERCONFIG") or home / ".npmrc"
        return PackageCache(
            (place,), {"npm_config_cache": str(place), "npm_config_userconfig": str(login)}, (login,)
        )
    if program == "cargo":
        place = _named(environ, "CARGO_HOME") or home / ".cargo"
        logins = (place / "credentials", place / "credentials.toml")
        return PackageCache((place / "registry", place / "git"), {"CARGO_HOME": str(place)}, logins)
    if program == "go":
        path = _named(environ, "GOPATH") or home / "go"
        place = _named(environ, "GOMODCACHE") or path / "pkg" / "mod"
        return PackageCache((place,), {"GOMODCACHE": str(place)}, (home / ".netrc",))
    if program == "mvn":
        logins = (home / ".m2" / "settings.xml", home / ".m2" / "settings-security.xml")
        return PackageCache((maven_repository(home),), {}, logins)
    return PackageCache()


def maven_repository(home: Path) -> Path:
    """The local repository: where the user's settings say, else in `.m2`."""
    settings = home / ".m2" / "settings.xml"
    try:
        found = _LOCAL_REPOSITORY.search(settings.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        found = None
    named = found[1].replace("${user.home}", str(home)) if found else ""
    return Path(named) if named.startswith("/") else home / ".m2" / "repository"


def network_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that say how to reach registries: proxies, certificates, addresses."""
    return {name: value for name, value in environ.items() if _NETWORK.fullmatch(name)}


def _named(environ: Mapping[str, str], *names: str) -> Path | None:
    """The absolute path that one of the variables holds."""
    return next((Path(environ[name]) for name in names if environ.get(name, "").startswith("/")), None)
