"""Where shipped files are, and how packs and settings are read, each checked as a whole.

Importing this module is cheap; the libraries that read files are imported by the functions that need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.domain.json_types import Json

if TYPE_CHECKING:
    from orchestrator.config.settings import DatabaseSettings, Settings
    from orchestrator.config.settings_layers import Sources
    from orchestrator.config.yaml_packs import PackFiles
    from orchestrator.domain.pipelines import Pack
    from orchestrator.domain.prices import Prices

PROJECT_FOLDER = ".workflow"


def resources() -> Path:
    """The folder that holds `config` and `migrations`: inside an installed package, else beside it."""
    package = Path(__file__).resolve().parent.parent
    bundled = package / "_bundled"
    return bundled if (bundled / "config").is_dir() else package.parent


PATH_FILE = "path"  # in `.workflow`: where the latest command found programs


def user_dir(environ: Mapping[str, str] | None = None) -> Path:
    """The user's configuration folder; `LIFECYCLE_CONFIG_DIR` names another."""
    named = (environ or {}).get("LIFECYCLE_CONFIG_DIR")
    if named:
        return Path(named)
    import platformdirs

    return platformdirs.user_config_path("team-lifecycle", appauthor=False)


def load_all(
    project: Path | None, environ: Mapping[str, str], flags: Mapping[str, Json] | None = None
) -> tuple[Pack, Settings]:
    """Pack and settings together, the settings' agents and threshold put into the pack.

    Raises one ConfigError with every fault of both, and with what each names that the other does not know.
    """
    from orchestrator.config.together import load

    return load(project, environ, flags)


def load_pack(project: Path | None, environ: Mapping[str, str] | None = None) -> Pack:
    """The shipped pack, the user's and the project's over it. Raises ConfigError with all faults of their form."""
    return pack_files(project, environ).pack()


def load_settings(
    project: Path | None, environ: Mapping[str, str], flags: Mapping[str, Json] | None = None
) -> Settings:
    """Defaults < user file < project file < `LIFECYCLE_*` < flags. Raises ConfigError with all faults.

    The packs are read only for the roles and perspectives that are named: a session under way keeps the pack it has.
    """
    given = sources(project, environ, flags)
    return given.settings(pack_files(project, environ).names if given.orders else None)


def load_database(project: Path, environ: Mapping[str, str]) -> DatabaseSettings | None:
    """What the project says of a database on a server; None where it says nothing, told without reading settings.

    Raises ConfigError for faults of that part, and for a file that cannot be read and may say something of it.
    """
    try:
        raw = (project / PROJECT_FOLDER / "config.toml").read_bytes()
    except OSError:
        raw = b""  # who reads the settings says why
    spelt = b"database" in raw or b"\\" in raw  # a key may be written with escapes
    if not spelt and not any(name.upper().startswith("LIFECYCLE_DATABASE") for name in environ):
        return None
    found = sources(project, environ).database()
    return found if found.url is not None else None


def pack_files(project: Path | None, environ: Mapping[str, str] | None = None) -> PackFiles:
    """What the files of all packs say, not checked yet."""
    from orchestrator.config.yaml_packs import read

    folders = [user_dir(environ) / "packs"]
    if project is not None:
        folders.append(project / PROJECT_FOLDER / "packs")
    return read(resources() / "config", folders)


def sources(
    project: Path | None, environ: Mapping[str, str], flags: Mapping[str, Json] | None = None
) -> Sources:
    """What all layers of the settings say, not checked yet."""
    from orchestrator.config.settings_layers import read

    files = [user_dir(environ) / "config.toml"]
    if project is not None:
        files.append(project / PROJECT_FOLDER / "config.toml")
    return read(files, environ, flags or {})


def load_prices(settings: Settings) -> Prices:
    """The shipped price list, the settings' own prices before it. Raises ConfigError."""
    from orchestrator.config.price_files import load

    return load(resources() / "config" / "prices.yaml", settings.prices)
