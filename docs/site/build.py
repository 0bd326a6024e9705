#!/usr/bin/env python3
"""Makes a small web site of docs/: build.py OUTPUT

Every page that docs/index.md names, and every page those link to, becomes HTML; index.md is also the
navigation. Source files that pages link to become listings, the public headers an API reference. The
page that checks in the browser is part of it if web/build has made it.
Links that lead nowhere are errors: each is printed, and the exit code is 1.

Needs python3-markdown and python3-pygments. Nothing in the pages is fetched from elsewhere.
"""

import html
import os
import pathlib
import re
import shutil
import sys

try:
    import markdown
    from pygments.formatters import HtmlFormatter
except ImportError:
    print("skipped: needs python3-markdown and python3-pygments", file=sys.stderr)
    sys.exit(77)

from headers import api_pages
from listing import highlighted

SITE = pathlib.Path(__file__).resolve().parent
DOCS = SITE.parent
ROOT = DOCS.parent
PAGE = ROOT / "build/web/proven.html"  # checks in the browser; made by web/build
LINK = re.compile(r'(<a [^>]*?href|<img [^>]*?src)="([^"]+)"')
HEADER = re.compile(r"include/proven/(\w+)(?:/(\w+)\.h)?")
HEADING_ID = re.compile(r'<h[1-6] id="([^"]+)"')


def slug(text, separator):
    """Anchors as GitHub makes them, so that links work in the repository too."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def to_html(text):
    converter = markdown.Markdown(
        extensions=["tables", "fenced_code", "codehilite", "toc", "sane_lists"],
        extension_configs={
            "codehilite": {"guess_lang": False, "css_class": "code"},
            "toc": {"slugify": slug},
        },
    )
    return converter.convert(text)


class Site:
    def __init__(self, output):
        self.output = output
        self.pages = {}  # path below ROOT -> HTML of its body
        self.anchors = {}  # path below ROOT -> set of anchors
        self.titles = {}
        self.assets = set()
        self.problems = []
        self.waiting = [pathlib.PurePosixPath("docs/index.md")]

    def problem(self, page, text):
        self.problems.append(f"{page}: {text}")

    def address(self, path):
        """Where a file of the repository stands in the site."""
        path = pathlib.PurePosixPath(path)
        if path.suffix == ".md":
            inside = path.relative_to("docs") if path.parts[0] == "docs" else path
            return str(inside.with_suffix(".html"))
        if str(path) in self.assets:
            return str(path.relative_to("docs"))
        return f"source/{path}.html"

    def add_page(self, path):
        text = (ROOT / path).read_text()
        if PAGE.exists():
            text = text.replace("<!-- the page -->", "**[Open the page](proven.html)**")
        body = to_html(text)
        self.pages[str(path)] = body
        self.anchors[str(path)] = set(HEADING_ID.findall(body))
        title = re.search(r"^# (.+)$", text, re.M)
        self.titles[str(path)] = title.group(1).replace("`", "") if title else path.name
        for kind, target in LINK.findall(body):
            self.follow(path, kind, html.unescape(target))

    def follow(self, page, kind, target):
        if re.match(r"[a-z]+:", target) or target == PAGE.name:
            return
        name = target.split("#")[0]
        if not name:
            return
        path = pathlib.PurePosixPath(os.path.normpath(page.parent / name))
        file = ROOT / path
        if str(path).startswith("..") or not file.exists():
            self.problem(page, f"{target} does not exist")
        elif kind.startswith("<img"):
            self.assets.add(str(path))
        elif file.is_dir() or HEADER.fullmatch(str(path)):
            pass  # a folder has no page, a header is part of the API reference
        elif str(path) not in self.pages and path not in self.waiting:
            self.waiting.append(path)

    def collect(self):
        while self.waiting:
            path = self.waiting.pop()
            if str(path) in self.pages:
                continue
            if path.suffix == ".md":
                self.add_page(path)
            else:
                self.pages[str(path)] = highlighted((ROOT / path).read_text(), path.name)
                self.anchors[str(path)] = set()
                self.titles[str(path)] = str(path)

    def relink(self, path, body):
        here = os.path.dirname(self.address(path))

        def replace(match):
            kind, target = match.groups()
            target = html.unescape(target)
            if re.match(r"[a-z]+:", target):
                return match.group(0)
            name, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if anchor and to in self.anchors and anchor not in self.anchors[to]:
                self.problem(path, f"{target}: no such heading")
            header = HEADER.fullmatch(to)
            if header:
                address, anchor = f"api/{header.group(1)}.html", header.group(2)
            elif to in self.pages or to in self.assets:
                address = self.address(to)
            else:
                return f'{kind}="#"' if (ROOT / to).is_dir() else match.group(0)
            relative = os.path.relpath(address, here or ".")
            return f'{kind}="{html.escape(relative + ("#" + anchor if anchor else ""))}"'

        return LINK.sub(replace, body)

    def navigation(self, current):
        """The headings and links of index.md, as seen from a page."""
        here = os.path.dirname(current)
        lines = []
        for line in (DOCS / "index.md").read_text().splitlines():
            heading = re.match(r"## (.+)", line)
            entry = re.match(r"- \[(.+?)\]\(([^)#]+)\)", line)
            if heading:
                lines.append(f"<h2>{heading.group(1)}</h2>")
            elif entry:
                path = os.path.normpath("docs/" + entry.group(2))
                address = self.address(path)
                relative = os.path.relpath(address, here or ".")
                mark = ' aria-current="page"' if address == current else ""
                lines.append(f'<a href="{relative}"{mark}>{html.escape(entry.group(1))}</a>')
        return "\n".join(lines)

    def write(self, address, title, body):
        file = self.output / address
        file.parent.mkdir(parents=True, exist_ok=True)
        up = os.path.relpath(".", os.path.dirname(address) or ".")
        values = {
            "TITLE": html.escape(title),
            "UP": up,
            "NAVIGATION": self.navigation(address),
            "BODY": body,
        }
        page = re.sub(r"@(TITLE|UP|NAVIGATION|BODY)@", lambda m: values[m.group(1)],
                      (SITE / "page.html").read_text())
        file.write_text(page)

    def build(self):
        self.collect()
        for path, body in self.pages.items():
            self.write(self.address(path), self.titles[path], self.relink(path, body))
        for address, title, body in api_pages(ROOT / "include/proven"):
            self.write(address, title, body)
        for asset in self.assets:
            to = self.output / self.address(asset)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / asset, to)
        light, dark = (HtmlFormatter(style=name).get_style_defs(".code") for name in ("xcode", "native"))
        style = (SITE / "style.css").read_text()
        style += f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
        (self.output / "style.css").write_text(style)
        if PAGE.exists():
            shutil.copyfile(PAGE, self.output / PAGE.name)
        self.find_orphans()

    def find_orphans(self):
        """Pages that nobody can reach are forgotten pages."""
        for file in sorted(DOCS.rglob("*.md")):
            if str(file.relative_to(ROOT)) not in self.pages:
                self.problem(file.relative_to(ROOT), "no page leads here")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1])
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    site = Site(output)
    site.build()
    for problem in site.problems:
        print(problem, file=sys.stderr)
    print(f"{len(site.pages)} pages, {len(site.assets)} pictures: {output}/index.html")
    sys.exit(1 if site.problems else 0)


if __name__ == "__main__":
    main()
