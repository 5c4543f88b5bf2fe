"""Full-text ranking of the project's files, by SQLite's FTS5 in memory: a search index, not the store."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords

MAX_WORDS = 60
_HUMP = expression(r"(?<=[a-z0-9])(?=[A-Z])")
_CJK_RUN = expression("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_WORD = expression(r"[^\W_]+")
_WEIGHTS = "8.0, 1.0"  # a word in the path says more than one in the text
_STEPS = 20_000  # virtual machine steps between two looks at the clock


def prepare(text: str) -> str:
    """Identifiers split at their humps, and Chinese, Japanese and Korean runs as overlapping pairs: what is indexed."""
    text = _HUMP.sub(" ", text)
    return text if text.isascii() else _CJK_RUN.sub(lambda m: f" {' '.join(_pairs(m[0]))} ", text)


def named_words(texts: Iterable[str], most: int = 40) -> list[str]:
    """The words that most of the texts hold, so that a search asks for what they speak of and not for how they begin."""
    counts = Counter(word for text in texts for word in query_words([text]))
    return [word for word, _ in counts.most_common(most)]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]


def query_words(texts: Iterable[str]) -> list[str]:
    """The meaningful words of `texts`, prepared as the index prepares its text, each once, in order."""
    found: dict[str, None] = {}
    for text in texts:
        for word in _WORD.findall(prepare(text.replace("\0", " "))):
            if keywords(word) and (len(word) > 1 or not word.isascii()):
                found.setdefault(word.lower())
    return list(found)[:MAX_WORDS]


def _expression(words: Sequence[str]) -> str:
    """An FTS5 query of nothing but quoted words: no operator, column or wildcard can come from outside."""
    return " OR ".join('"' + word.replace('"', '""').replace("\0", "") + '"' for word in words)


class SearchIndex:
    def __init__(self, late: Callable[[], bool]) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None)
        self._db.execute(
            "CREATE VIRTUAL TABLE files USING fts5(path, body, content='', tokenize='porter unicode61')"
        )
        self._db.execute("BEGIN")
        self._late = late
        self._db.set_progress_handler(late, _STEPS)
        self._names: list[str] = []

    def __enter__(self) -> SearchIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def add(self, path: str, body: str) -> None:
        self._names.append(path)
        row = (len(self._names), _words(path), prepare(body))
        self._db.execute("INSERT INTO files (rowid, path, body) VALUES (?, ?, ?)", row)

    def search(self, words: Sequence[str]) -> dict[str, float]:
        """Path -> how well it matches any of `words`, 1.0 the best file; empty without words."""
        rows = self._rows(
            f"SELECT rowid, -bm25(files, {_WEIGHTS}) FROM files WHERE files MATCH ?",  # noqa: S608 - our own numbers
            words,
        )
        best = max((score for _, score in rows), default=0.0)
        return {self._names[row - 1]: score / best if best > 0 else 0.5 for row, score in rows}

    def which(self, words: Sequence[str], paths: set[str]) -> dict[str, list[str]]:
        """Which of `words` each of `paths` holds."""
        found: dict[str, list[str]] = {path: [] for path in paths}
        for word in words:
            for path in self.files_with(word):
                if path in found:
                    found[path].append(word)
        return found

    def files_with(self, word: str) -> list[str]:
        """The files that hold `word`."""
        rows = self._rows("SELECT rowid, 0 FROM files WHERE files MATCH ?", [word])
        return [self._names[row - 1] for row, _ in rows]

    def _rows(self, sql: str, words: Sequence[str]) -> list[tuple[int, float]]:
        if not words:
            return []
        try:
            with closing(self._db.execute(sql, (_expression(words),))) as cursor:
                return list(cursor)
        except sqlite3.OperationalError:
            if self._late():  # the progress handler stopped it: what is left is ranked without this search
                return []
            raise


def _words(text: str) -> str:
    return prepare(text.encode("utf-8", "replace").decode()).replace("_", " ")
