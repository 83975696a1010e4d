"""What the site needs beyond plain MkDocs; each function is called by MkDocs under its name.

- The pages at the root of the repository (ARCHITECTURE.md and so on) become pages of the site.
- Links to other files outside of docs/ become plain code, as the site does not have them.
- Pictures (SVG) are put into the page itself, where they follow its light or dark colours.
- A doctest in running text is shown as code.
- When all is built, every link and picture has to lead somewhere, and nothing may be fetched from
  another host to show a page. What does not hold is a warning, and warnings are errors.
"""

from __future__ import annotations

import logging
import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent.parent
ROOT_PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")

log = logging.getLogger("mkdocs.hooks.turbotree")
_LINK = re.compile(r"\[([^\]\[]*)\]\(([^)\s]+)\)")
_PICTURE = re.compile(r'<img [^>]*?src="([^":]+\.svg)"[^>]*>')
_ROLE = re.compile(r":(?:mod|func|class|meth):(?=<code|`)")


class _Doctests(Preprocessor, Extension):
    """Puts fences round lines from `>>>` to the next empty one, unless they have some."""

    def __init__(self) -> None:
        Extension.__init__(self)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(self, "doctests", 40)  # before fences are read

    def run(self, lines: list[str]) -> list[str]:
        out: list[str] = []
        fenced = doctest = False
        for line in lines:
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced and not doctest and line.startswith(">>>"):
                out.append("```python")
                doctest = True
            elif doctest and not line.strip():
                out.append("```")
                doctest = False
            out.append(line)
        return [*out, "```"] if doctest else out


def on_config(config: Any) -> Any:
    config["markdown_extensions"].append(_Doctests())
    return config


def on_files(files: Files, config: Any) -> Files:
    for name in ROOT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=_relinked(text, "")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    name = page.file.src_uri
    if name in ROOT_PAGES:
        return markdown
    return _relinked(markdown, posixpath.join("docs", posixpath.dirname(name)))


def on_page_content(html: str, page: Any, **_: Any) -> str:
    folder = ROOT / "docs" / posixpath.dirname(page.file.dest_uri)

    def inlined(found: re.Match[str]) -> str:
        path = folder / found[1]
        if not path.exists():
            return found[0]
        alt = re.search(r'alt="([^"]*)"', found[0])
        label = f'role="img" aria-label="{alt[1]}"' if alt else 'role="img"'
        svg = re.sub(r"<\?xml.*?\?>\s*", "", path.read_text(encoding="utf-8"))
        return re.sub(r">\s+<", "><", svg).replace("<svg", f"<svg {label}", 1)

    return _ROLE.sub("", _PICTURE.sub(inlined, html))


def _relinked(markdown: str, folder: str) -> str:
    """Turn links of a page in `folder`, seen from the root of the repository, into the site's."""

    def relinked(found: re.Match[str]) -> str:
        text, link = found[1], found[2]
        path, _, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return found[0]
        target = posixpath.normpath(posixpath.join(folder, path))
        if target.startswith("docs/"):
            if folder:
                return found[0]
            target = target.removeprefix("docs/")
        elif target == "README.md":
            target = "index.md"
        elif target not in ROOT_PAGES:
            return text if "`" in text else f"`{text}`"
        here = posixpath.relpath(folder, "docs") if folder else "."
        return f"[{text}]({posixpath.relpath(target, here)}{'#' if anchor else ''}{anchor})"

    # Code stays as it is.
    pieces = re.split(r"(^```.*?^```|`[^`\n]*`(?!\]))", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(
        piece if number % 2 else _LINK.sub(relinked, piece) for number, piece in enumerate(pieces)
    )


class _Page(HTMLParser):
    """The names that can be linked to in a page, its links, and what it loads to be shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = {""}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.names.update(given[key] for key in ("id", "name") if key in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(given["href"])
        if "src" in given:
            self.loaded.append(given["src"])


def on_post_build(config: Any, **_: Any) -> None:
    site = Path(config["site_dir"])
    pages = {
        path: _Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if path.name != "404.html"  # its links are meant for the root of a server
    }
    for path, page in pages.items():
        where = path.relative_to(site)
        for link in page.loaded:
            if urlsplit(link).netloc:
                log.warning("%s loads %s from another host", where, link)
        for link in {*page.links, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                log.warning("%s: dead link %s", where, link)
            elif target in pages and unquote(parts.fragment) not in pages[target].names:
                log.warning("%s: the page has no such place: %s", where, link)
    for path in sorted(site.rglob("*.css")):
        if re.search(r"url\(['\"]?https?:|@import", path.read_text(encoding="utf-8")):
            log.warning("%s loads something from another host", path.relative_to(site))
