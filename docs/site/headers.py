"""The API reference, from the public headers themselves: what stands before the first include is the
introduction of a header, every declaration stands with its comment, and names of types lead to where they
are declared."""

import html
import re

from listing import highlighted

LAYERS = ["base", "geometry", "kinematics", "scene", "certify", "verify", "plan", "io", "roadmap",
          "spacetime", "task"]
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: [:{]|;|$)", re.M)


def split_header(text):
    """(introduction, code): the leading comment as paragraphs, and what follows the includes."""
    lines = text.splitlines()
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    introduction = "\n".join(line[2:].removeprefix(" ") for line in lines[:end])
    code = "\n".join(line for line in lines[end:] if not line.startswith("#"))
    return introduction, code.strip() + "\n"


def paragraphs(text):
    """Plain text as HTML; indented lines keep their form."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if any(line.startswith("  ") for line in block.splitlines()):
            out.append(f"<pre>{html.escape(block)}</pre>")
        else:
            out.append(f"<p>{html.escape(block)}</p>")
    return "\n".join(out)


def declared_types(folder):
    """Name of a type -> address of its declaration."""
    where = {}
    for header in sorted(folder.glob("*/*.h")):
        for name in TYPE.findall(header.read_text()):
            where.setdefault(name, f"{header.parent.name}.html#{anchor_of(header)}")
    return where


def anchor_of(header):
    return header.stem


def linked(code_html, types, layer):
    """Names of types in highlighted code become links."""
    def replace(match):
        target = types.get(match.group(2))
        if not target:
            return match.group(0)
        return f'{match.group(1)}<a href="{target}">{match.group(2)}</a>{match.group(3)}'

    return re.sub(r"(<span class=\"n[cn]?\">)(\w+)(</span>)", replace, code_html)


def layer_page(folder, layer, types):
    parts = [f"<h1>API: <code>{layer}</code></h1>"]
    headers = sorted((folder / layer).glob("*.h"))
    rows = []
    for header in headers:
        introduction, _ = split_header(header.read_text())
        first = re.split(r"(?<=\.)\s|\n\s*\n", introduction.strip(), maxsplit=1)[0]
        rows.append(f'<tr><td><a href="#{anchor_of(header)}"><code>{header.name}</code></a></td>'
                    f"<td>{html.escape(first)}</td></tr>")
    parts.append("<table><tr><th>header</th><th>holds</th></tr>" + "".join(rows) + "</table>")
    for header in headers:
        introduction, code = split_header(header.read_text())
        listing = highlighted(code, header.stem + ".hpp").split("\n", 1)[1]
        parts.append(f'<h2 id="{anchor_of(header)}"><code>proven/{layer}/{header.name}</code></h2>')
        parts.append(paragraphs(introduction))
        parts.append(linked(listing, types, layer))
    return "\n".join(parts)


def api_pages(folder):
    """(address, title, body) of each layer's page."""
    types = declared_types(folder)
    layers = [name for name in LAYERS if (folder / name).is_dir()]
    layers += sorted(p.name for p in folder.iterdir() if p.is_dir() and p.name not in LAYERS)
    for layer in layers:
        yield f"api/{layer}.html", f"API: {layer}", layer_page(folder, layer, types)
