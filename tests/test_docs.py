"""The documentation is true: its code runs, its links lead somewhere, its tables are complete.

The Python blocks of a page run one after another in one namespace and an empty folder. A block with
``>>>`` is a doctest, any other is a program that has to finish. In a ``console`` block, lines after
``$`` are commands, which run in the same folder; what stands below one is what it has to print,
``...`` for anything, and a command that prints what it should may fail. ``<!-- skip -->`` before a
block (with a reason: ``<!-- skip: needs a treebank -->``) skips it.
"""

from __future__ import annotations

import doctest
import io
import re
import runpy
import subprocess
import sys
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
    """One block: the number of its first line in the page, its text, and its language."""

    line: int
    text: str
    language: str = "python"


def code_blocks(page: str) -> list[Code]:
    """Find the blocks that are to run."""
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
        language = line.strip().removeprefix("```")
        if language in ("python", "console") and not _SKIP.fullmatch(said):
            found.append(Code(number + 1, "\n".join(inside) + "\n", language))
        said = ""
    return found


def run_commands(block: Code, where: str) -> str | None:
    """Run the commands of a console block, ours with the Python of the tests."""
    ours = f'turbotree() {{ "{sys.executable}" -m turbotree "$@"; }}\n'
    for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        command, wanted = match[1], match[2].strip()
        at = f"{where}:{block.line + block.text[: match.start()].count(chr(10))}: {command}"
        done = subprocess.run(
            ["sh", "-c", ours + command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        printed = done.stdout.strip()
        if not wanted and done.returncode:
            return f"{at}: status {done.returncode}\n{printed}"
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        if wanted and not doctest.OutputChecker().check_output(wanted, printed, flags):
            return f"{at}: expected\n{wanted}\nand not\n{printed}"
    return None


def run(block: Code, names: dict[str, Any], where: str) -> str | None:
    """Run one block; give what went wrong, with page and line, if anything did."""
    if block.language == "console":
        return run_commands(block, where)
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
    # Each page is named for what it needs, or for what speaks to us by it.
    if page.parent.name == "integrations" and page.stem != "index":
        pytest.importorskip({"inception": "cassis"}.get(page.stem, page.stem))
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


@pytest.mark.parametrize("page", sorted({*ROOT.glob("*.md"), *DOCS}), ids=name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.name == "CHANGELOG.md":  # speaks of the past, too
        return
    named = re.findall(r"`((?:core|src/turbotree|benchmarks|tests|tools)/[\w/.*]+)`", text)
    missing = [path for path in named if not any(ROOT.glob(path.rstrip("/")))]
    assert missing == []


def test_every_page_stands_in_the_nav_of_the_site_and_nothing_else_does() -> None:
    listed = re.findall(r"[\w/]+\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    at_the_root = {page.name for page in ROOT.glob("*.md")}
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in DOCS}
    assert set(listed) - at_the_root == pages
    assert len(listed) == len(set(listed))


def test_the_pictures_are_those_that_their_script_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs/pictures"))
    drawn = runpy.run_path(str(ROOT / "docs/pictures/draw.py"))["PICTURES"]
    for picture, draw in drawn.items():
        kept = (ROOT / "docs/pictures" / f"{picture}.svg").read_text(encoding="utf-8")
        assert draw().svg() == kept, f"{picture}.svg: run docs/pictures/draw.py"


def test_the_plot_of_accuracy_and_speed_has_the_figures_of_its_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs/pictures"))
    points = runpy.run_path(str(ROOT / "docs/pictures/speed_picture.py"))["POINTS"]
    rows = (ROOT / "docs/choosing.md").read_text(encoding="utf-8").splitlines()
    for point in points:
        end = f"| {point.las:.2f} | {point.speed:g} |"
        assert any(row.startswith(f"| {point.name} |") and end in row for row in rows), point


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


def test_blocks_of_other_languages_and_those_marked_are_omitted() -> None:
    page = "```\na\n```\n<!-- skip: why -->\n\n```python\nb\n```\n```python\nc\n```\n"
    assert code_blocks(page) == [Code(10, "c\n")]


def test_a_command_that_fails_or_prints_something_else_is_named_by_page_and_line() -> None:
    page = "```console\n$ true\n$ false\n```\n```console\n$ echo a b\na ...\n$ echo c\nd\n```\n"
    first, second = code_blocks(page)
    assert run(first, {}, "page.md") == "page.md:3: false: status 1\n"
    assert run(second, {}, "page.md") == "page.md:8: echo c: expected\nd\nand not\nc"
    assert run(Code(1, "$ echo e; false\ne\n", "console"), {}, "page.md") is None
