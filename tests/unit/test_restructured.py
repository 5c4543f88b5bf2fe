"""Markup of reStructuredText is no sentence: neither in documents nor in docstrings (docs/analyze.md)."""

from __future__ import annotations

import time

import pytest

from tests.patience import patient
from workers.explore.passages_found import comments, paragraphs
from workers.explore.restructured import prose

DOCUMENT = """\
=========
Timeouts
=========

.. _timeouts:
.. |name| replace:: Names

A call of :class:`~names.client.Client` ends after :ref:`ten seconds <timeouts>`,
see `the manual <https://example.invalid/>`_ [1]_.

.. note:: Retries have a timeout of their own.

.. warning::
   :class: wide

   A timeout of 0 means ``None``.

.. versionadded:: 1.2 The timeout of a whole call.

.. code-block:: python
   :linenos:

   client.timeout = 3  # seconds that a timeout takes

.. toctree::
   :maxdepth: 2

   timeout

.. py:function:: wait(seconds)

   Waits for the timeout.

   :param seconds: How long the timeout is,
      in seconds.
   :type seconds: float
   :raises TimeoutError: When the timeout is over.

Set it like this::

    timeout = 3

======  =======
option  timeout
======  =======
a       3
======  =======

>>> wait(3)
'timeout'

- one timeout
.. [1] A footnote of the timeout.
"""


def test_directives_fields_tables_and_examples_of_a_document_are_no_sentences() -> None:
    told = list(paragraphs(prose(DOCUMENT.splitlines())))

    assert [text for _, text in told] == [
        "A call of `Client` ends after `ten seconds`, see the manual.",
        "Retries have a timeout of their own.",
        "A timeout of 0 means `None`.",
        "The timeout of a whole call.",
        "Waits for the timeout.",
        "seconds: How long the timeout is, in seconds.",
        "TimeoutError: When the timeout is over.",
        "Set it like this:",
        "one timeout",
    ]
    lines = DOCUMENT.splitlines()
    for number, text in told:
        assert text.rstrip(":.").split()[-1].strip("`") in " ".join(lines[number - 1 : number + 1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Waits.\n    :param s: How long.\n    :type s: int", [(1, "Waits."), (2, "s: How long.")]),
        (
            "Waits for it\n    at most.\n    :returns: whether it came,\n        as a flag",
            [(1, "Waits for it at most."), (3, "whether it came, as a flag")],
        ),
        ("Waits.\n    .. note:: Not here.\n    :param s: no", [(1, "Waits.")]),
        ("Waits.\n    >>> wait(3)", [(1, "Waits.")]),
        (":rtype: int", []),
        ("See :meth:`~a.b.Client.wait` and ``None``.", [(1, "See `wait` and `None`.")]),
    ],
)
def test_fields_and_directives_of_a_docstring_do_not_run_into_its_sentences(
    text: str, expected: list[tuple[int, str]]
) -> None:
    lines = f'    """{text}\n    """'.splitlines()

    assert [(number, said) for number, said in comments(lines)] == expected


def test_a_docstring_of_one_line_is_read_in_words() -> None:
    lines = ["def wait(s):", '    """Like :func:`sleep`."""', "    #: the ``default`` of :ref:`waiting <w>`"]

    assert list(comments(lines)) == [(2, "Like `sleep`."), (3, "the `default` of `waiting`")]


@pytest.mark.parametrize(
    "piece", [":a", "+:", ": ", "` ", "`a <", ":a b", ".. a:", "[1]_", "=+", "``", "*a "]
)
def test_no_line_takes_long(piece: str) -> None:
    started = time.process_time()

    prose([piece * 50_000, piece * 50_000])

    assert time.process_time() - started < patient(2)


def test_as_many_lines_as_there_were() -> None:
    for text in (DOCUMENT, "====", "::", "..\n  x", "a::\n\n  b\n", "\n"):
        assert len(prose(text.splitlines())) == len(text.splitlines())
