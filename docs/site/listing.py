"""Source files as HTML."""

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound


def highlighted(text, name):
    try:
        lexer = get_lexer_for_filename(name)
    except ClassNotFound:
        lexer = TextLexer()
    listing = pygments.highlight(text, lexer, HtmlFormatter(cssclass="code"))
    return f"<h1><code>{name}</code></h1>\n{listing}"
