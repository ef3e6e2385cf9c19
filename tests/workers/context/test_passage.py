"""How texts are cut into passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ditto_core.workers.context.passage import LONGEST, passages

MARKDOWN = """\
# Tea

Tea is a drink.

## Green

Two minutes.

```sh
# no heading
```

## Black
### Assam

Four minutes.
"""

PYTHON = """\
import os


@cache
def first():
    return 1


class Second:
    def inner(self):
        return 2
"""


def cut(path: str, text: str) -> list[tuple[int, int, str]]:
    return [(each.line, each.last, each.heading) for each in passages(path, text)]


def test_markdown_is_cut_at_headings_which_stay_with_what_follows() -> None:
    assert cut("a.MD", MARKDOWN) == [(1, 3, "Tea"), (5, 11, "Tea > Green"), (13, 16, "Tea > Black > Assam")]


def test_python_is_cut_at_the_definitions_of_the_left_margin_with_their_decorators() -> None:
    assert cut("a.py", PYTHON) == [(1, 1, ""), (4, 6, ""), (9, 11, "")]


def test_other_text_is_cut_only_when_it_is_long_and_then_at_a_blank_line() -> None:
    assert cut("a.txt", MARKDOWN) == [(1, 16, "")]
    paragraph = "word " * 100 + "\n\n"
    assert cut("a.txt", paragraph * 4) == [(1, 3, ""), (5, 7, "")]


def test_a_text_without_a_blank_line_is_cut_where_it_would_become_too_long() -> None:
    assert [last for _, last, _ in cut("a.csv", "x" * 99 + "\n" + ("y" * 99 + "\n") * 39)] == [18, 36, 40]


def test_a_line_that_is_too_long_is_cut_into_pieces_with_columns() -> None:
    found = list(passages("a.js", "short\n" + "x" * (LONGEST + 5) + "\nshort"))
    assert [(each.line, each.column, len(each.text)) for each in found] == [
        (1, 1, 5),
        (2, 1, LONGEST),
        (2, LONGEST + 1, 5),
        (3, 1, 5),
    ]


def test_nothing_and_blank_lines_are_no_passage() -> None:
    assert cut("a.md", "") == cut("a.md", " \n\n\t\n") == []


@given(
    st.lists(st.sampled_from(["", "# H", "## G", "def f():", "text", "x" * 700, "y" * 4000, "```", "@d"])),
    st.booleans(),
)
def test_every_line_that_says_something_is_in_exactly_one_passage(lines: list[str], python: bool) -> None:
    found = list(passages("a.py" if python else "a.md", "\n".join(lines)))
    covered = [number for each in found if each.column == 1 for number in range(each.line, each.last + 1)]
    assert covered == sorted(set(covered))
    assert {number for number, line in enumerate(lines, 1) if line} <= set(covered)
    for each in found:
        assert 0 < len(each.text) <= LONGEST
        if each.column == 1 and len(lines[each.line - 1]) <= LONGEST:
            assert each.text == "\n".join(lines[each.line - 1 : each.last])
