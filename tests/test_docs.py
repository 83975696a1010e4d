"""The documentation is true: its code runs, its links lead somewhere, its tables are complete.

The Python blocks of a page run one after another in one namespace and an empty folder. A block with
``>>>`` is a doctest, any other is a program that has to finish. ``<!-- skip -->`` before a block
(with a reason: ``<!-- skip: needs a treebank -->``) leaves it out.
"""

from __future__ import annotations

import doctest
import io
import re
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from turbotree.graphs import MARGINAL_SOLVERS, SOLVERS, Kind

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]

_SKIP = re.compile(r"<!--\s*skip\b.*-->")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)


class Code(NamedTuple):
    """One Python block: the number of its first line in the page, and its text."""

    line: int
    text: str


def code_blocks(page: str) -> list[Code]:
    """Find the Python blocks that are to run."""
    found = []
    said = ""  # the last line that is not empty, before the block
    lines = iter(enumerate(page.splitlines(), 1))
    for number, line in lines:
        if not line.startswith("```"):
            said = line.strip() or said
            continue
        inside = []
        for _, text in lines:
            if text.startswith("```"):
                break
            inside.append(text)
        if line.strip() == "```python" and not _SKIP.fullmatch(said):
            found.append(Code(number + 1, "\n".join(inside) + "\n"))
        said = ""
    return found


def run(block: Code, names: dict[str, Any], where: str) -> str | None:
    """Run one block; give what went wrong, with page and line, if anything did."""
    if ">>>" in block.text:
        parsed = doctest.DocTestParser().get_doctest(
            block.text, names, where, where, block.line - 1
        )
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        report = io.StringIO()
        failed, _ = doctest.DocTestRunner(verbose=False, optionflags=flags).run(
            parsed, out=report.write, clear_globs=False
        )
        names.update(parsed.globs)
        return report.getvalue() if failed else None
    try:
        # Empty lines in front give the lines of the page to compiler and traceback.
        exec(compile("\n" * (block.line - 1) + block.text, where, "exec"), names)
    except Exception as error:
        frames = [at for at in traceback.extract_tb(error.__traceback__) if at.filename == where]
        line = frames[-1].lineno if frames else getattr(error, "lineno", block.line)
        return f"{where}:{line}: {type(error).__name__}: {error}"
    return None


def anchors(page: str) -> set[str]:
    """Name the headings of a page as GitHub does."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(page))
    return {heading.strip().replace(" ", "-") for heading in plain}


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each page is named for what it needs.
    if page.parent.name == "integrations" and page.stem != "index":
        pytest.importorskip(page.stem)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__page__"}
    for block in code_blocks(page.read_text(encoding="utf-8")):
        problem = run(block, names, name(page))
        if problem is not None:
            pytest.fail(problem, pytrace=False)


@pytest.mark.parametrize("page", sorted({*ROOT.glob("*.md"), *DOCS}), ids=name)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    dead = []
    # Code is no text: an index followed by a call looks like a link.
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        found = target.exists()
        if found and anchor:
            found = anchor in anchors(target.read_text(encoding="utf-8"))
        if not found:
            dead.append(link)
    assert dead == []


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_every_kind_of_factor_has_a_page_that_the_index_links_to(kind: Kind) -> None:
    link = f"factors/{kind.name.lower()}.md"
    text = (ROOT / "docs/graphs" / link).read_text(encoding="utf-8")
    assert f"`{kind.method}" in text
    assert link in (ROOT / "docs/graphs/index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("solver", sorted({*SOLVERS, *MARGINAL_SOLVERS} - {"max_product"}))
def test_every_solver_has_a_page_that_the_index_links_to(solver: str) -> None:
    link = f"solvers/{solver}.md"
    assert (ROOT / "docs/graphs" / link).exists()
    assert link in (ROOT / "docs/graphs/index.md").read_text(encoding="utf-8")


def test_a_failing_block_is_named_by_page_and_line() -> None:
    page = "# Page\n\n```python\nx = 1\n\nassert x == 2\n```\n\n```python\n>>> x\n3\n```\n"
    first, second = code_blocks(page)
    names: dict[str, Any] = {}
    assert run(first, names, "page.md") == "page.md:6: AssertionError: "
    report = run(second, names, "page.md")
    assert report is not None
    assert 'File "page.md", line 10' in report


def test_blocks_of_other_languages_and_those_marked_are_left_out() -> None:
    page = "```\na\n```\n<!-- skip: why -->\n\n```python\nb\n```\n```python\nc\n```\n"
    assert code_blocks(page) == [Code(10, "c\n")]
