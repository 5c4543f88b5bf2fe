"""A Go module proxy in a folder, with one module of ours: a dependency that has to be downloaded, without a network."""

from __future__ import annotations

import zipfile
from pathlib import Path

MODULE, VERSION = "example.com/plural", "v1.2.0"
FILES = {
    "go.mod": f"module {MODULE}\n\ngo 1.19\n",
    "plural.go": """// Package plural writes numbers of things.
package plural

import "strconv"

// Of gives the number with the word for it.
func Of(number int, one, many string) string {
	if number == 1 {
		return "1 " + one
	}
	return strconv.Itoa(number) + " " + many
}
""",
}


def write_proxy(folder: Path) -> None:
    """Write what the protocol asks for: the list of versions, and of the version its facts, manifest and archive."""
    place = folder / MODULE / "@v"
    place.mkdir(parents=True, exist_ok=True)
    (place / "list").write_text(f"{VERSION}\n")
    (place / f"{VERSION}.info").write_text(f'{{"Version": "{VERSION}", "Time": "2024-01-01T00:00:00Z"}}')
    (place / f"{VERSION}.mod").write_text(FILES["go.mod"])
    with zipfile.ZipFile(place / f"{VERSION}.zip", "w") as archive:
        for name, text in FILES.items():
            entry = zipfile.ZipInfo(f"{MODULE}@{VERSION}/{name}", (2024, 1, 1, 0, 0, 0))
            archive.writestr(entry, text)
