"""What `make stacks` installs below one folder, and the environment in which its tests find it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

PLACE = os.environ.get("LIFECYCLE_TEST_STACKS", "")
DEBIAN = Path("/usr/share/maven-repo")  # the jars of Debian's packages
PROGRAMS = {  # and the Debian packages that bring them
    "node": "nodejs",
    "npm": "npm",
    "go": "golang-go",
    "cargo": "cargo",
    "javac": "default-jdk-headless",
    "mvn": "maven",
    "gradle": "gradle",
    "unshare": "util-linux",
    "ip": "iproute2",  # Gradle needs a loopback interface
}
JARS = {  # below DEBIAN
    "org/junit/jupiter/junit-jupiter-engine": "junit5",
    "org/apache/maven/plugins/maven-surefire-plugin": "libsurefire-java",
    "org/apache/maven/plugins/maven-compiler-plugin": "libmaven-compiler-plugin-java",
    "org/apache/maven/plugins/maven-resources-plugin": "libmaven-resources-plugin-java",
    "junit/junit": "junit4",
}
SETTINGS = f"""<settings>
  <mirrors><mirror><id>debian</id><mirrorOf>*</mirrorOf><url>{DEBIAN.as_uri()}</url></mirror></mirrors>
</settings>
"""


def lacking() -> list[str]:
    """The Debian packages that have to be installed."""
    programs = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    return programs + [package for path, package in JARS.items() if not (DEBIAN / path).is_dir()]


def environment(place: Path) -> dict[str, str]:
    """Where the package managers keep what they fetched, and where a toolchain outside Debian's folders is."""
    account = Path.home()
    return {
        "npm_config_cache": str(place / "npm"),
        "npm_config_offline": "true",
        "GOMODCACHE": str(place / "go"),
        "GOPROXY": (place / "proxy").as_uri(),
        "GOSUMDB": "off",
        "CARGO_HOME": str(place / "cargo"),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(account / ".rustup")),
    }


def write_maven_settings(home: Path) -> None:
    """Let Maven take everything from Debian's jars, and keep it in a local repository below `home`."""
    (home / ".m2").mkdir(parents=True, exist_ok=True)
    (home / ".m2" / "settings.xml").write_text(SETTINGS, encoding="utf-8")
