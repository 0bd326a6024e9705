"""xacro as its documentation describes it, in Python: the expressions are Python's own.

It is written apart from the reader in src/io and shares nothing with it. It refuses nothing that xacro accepts, knows no
limits and has no good messages. `expand` returns the document as nested tuples (name, attributes, contents).
"""
import ast
import glob
import math
import os
import re
import xml.dom.minidom

import yaml

ELEMENT, TEXT, CDATA = 1, 3, 4


class Error(Exception):
    pass


class Dotted(dict):
    """A dictionary from YAML, whose entries are also attributes."""

    def __getattr__(self, name):
        if name not in self:
            raise Error(f'no entry {name}')
        return self[name]

    def __getitem__(self, name):
        return dotted(dict.__getitem__(self, name))


class DottedList(list):
    def __getitem__(self, at):
        return dotted(list.__getitem__(self, at))


def dotted(value):
    if isinstance(value, dict):
        return Dotted(value)
    return DottedList(value) if isinstance(value, list) else value


class Loader(yaml.SafeLoader):
    pass


for tag, unit in (('!radians', 1.0), ('!degrees', math.pi / 180)):
    Loader.add_constructor(tag, lambda loader, node, unit=unit: unit * float(
        eval(node.value.strip(), {'__builtins__': {}, **vars(math)})))


def literal(text):
    """What a property takes a text for."""
    if not isinstance(text, str):
        return text
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    if '_' in text:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {'true': True, 'True': True, 'false': False, 'False': False}.get(text, text)


def truth(value):
    if not isinstance(value, str):
        return bool(value)
    if value in ('true', 'True', 'false', 'False'):
        return value in ('true', 'True')
    try:
        return bool(int(value))
    except ValueError:
        raise Error(f'{value!r} is no condition')


class Space:
    def __init__(self, scope):
        self.scope = scope

    def __getattr__(self, name):
        return self.scope.find(name)


class Module:
    def __init__(self, names):
        self.__dict__.update(names)


class Names(dict):
    """What eval() sees: the properties of a scope, then functions. Lookups go through __missing__."""

    def __init__(self, scope):
        super().__init__(__builtins__={})
        self.scope = scope

    def __missing__(self, name):
        if self.scope.has(name):
            return self.scope.find(name)
        return self.scope.file.functions[name]


class Scope:
    def __init__(self, file, above=None, space=False):
        self.file, self.above, self.space = file, above, space
        self.values, self.texts, self.blocks, self.macros, self.spaces, self.busy = {}, {}, {}, {}, {}, set()

    def chain(self):
        scope = self
        while scope:
            yield scope
            scope = scope.above

    def has(self, name):
        return any(name in scope.values or name in scope.texts for scope in self.chain())

    def put(self, name, value, lazy):
        value = literal(value)
        self.values.pop(name, None), self.texts.pop(name, None)
        (self.texts if lazy and isinstance(value, str) else self.values)[name] = value

    def find(self, name):
        for scope in self.chain():
            if name in scope.values:
                return scope.values[name]
            if name in scope.texts:
                if name in scope.busy:
                    raise Error(f'{name} needs itself')
                scope.busy.add(name)
                value = self.file.value(scope.texts[name], scope)
                scope.busy.remove(name)
                scope.put(name, value, False)
                return scope.values[name]
        raise NameError(name)

    def first(self, table, name):
        return next((getattr(s, table)[name] for s in self.chain() if name in getattr(s, table)), None)


PART = re.compile(r'(?P<escape>\$\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<command>[^)]*)\)|(?P<text>[^$]+|\$[^{($]+|\$$)')
INITIAL = re.compile(r'''\s*(?P<name>[^\s:=]+?)\s*:?=\s*(?P<above>\^\|?)?'''
                     r'''(?P<initial>\$\{.*?\}|\$\(.*?\)|(?:'.*?'|".*?"|[^\s'"]+)+|)(?:\s+|$)''')
PLAIN = re.compile(r'\s*(\S+)\s*')


def parameters(text):
    """[(name, takes the caller's, initial value or None)]"""
    found, at = [], 0
    while text[at:].strip():
        match = INITIAL.match(text, at)
        if match:
            found.append((match['name'], bool(match['above']), match['initial'] or None))
        else:
            match = PLAIN.match(text, at)
            found.append((match[1], False, None))
        at = match.end()
    return found


class File:
    def __init__(self, path, arguments, packages):
        self.files, self.arguments, self.packages = [path], dict(arguments), packages
        plain = {f.__name__: f for f in (list, dict, map, len, str, float, int, min, max, round, sorted, range)}
        more = {f.__name__: f for f in (abs, bool, all, any, divmod, enumerate, filter, repr, reversed, sum, tuple, zip)}
        maths = {k: v for k, v in vars(math).items() if k[0] != '_'}
        own = {'load_yaml': self.load_yaml, 'abs_filename': self.near, 'dotify': Dotted}
        talk = {k: lambda *a, **b: '' for k in ('message', 'warning', 'error', 'print_location')}
        tokens = lambda s, sep=',; ', skip_empty=True: [t for t in re.split(f'[{sep}]', s) if t or not skip_empty]
        self.functions = {**more, **plain, **maths, **own, 'math': Module(maths), 'python': Module({**plain, **more}),
                          'xacro': Module({**own, **talk, 'tokenize': tokens, 'fatal': self.fatal,
                                           'arg': lambda name: self.arguments[name]})}

    def fatal(self, *words):
        raise Error(' '.join(map(str, words)))

    def near(self, name):
        return os.path.join(os.path.dirname(self.files[-1]), name)

    def load_yaml(self, name):
        with open(self.near(name)) as file:
            return dotted(yaml.load(file, Loader))

    def value(self, text, scope):
        parts, at = [], 0
        while at < len(text):
            match = PART.match(text, at)
            if not match:
                raise Error(f'not closed: {text[at:]}')
            at = match.end()
            if match['escape']:
                parts.append(match['escape'][1:])
            elif match['expression'] is not None:
                source = str(self.value(match['expression'], scope)).strip()
                code = compile(source, 'expression', 'eval')
                if any(name.startswith('__') for name in code.co_names):
                    raise Error('names with __')
                parts.append(eval(code, Names(scope)))
            elif match['command'] is not None:
                parts.append(self.command(str(self.value(match['command'], scope))))
            else:
                parts.append(match['text'])
        return parts[0] if len(parts) == 1 else ''.join(map(str, parts))

    def command(self, text):
        if text.startswith('eval '):
            return str(eval(text[5:], {'__builtins__': {}}, self.for_eval()))
        word, *rest = [w for w in text.split(' ') if w]
        if word == 'cwd' and not rest:
            return os.getcwd()
        if word == 'dirname' and not rest:
            return os.path.dirname(os.path.abspath(self.files[-1]))
        if word == 'optenv' and rest:
            return os.environ.get(rest[0], ' '.join(rest[1:]))
        if len(rest) != 1 or word not in ('arg', 'find', 'env'):
            raise Error(f'$({text})')
        return {'arg': self.arguments, 'find': self.packages, 'env': os.environ}[word][rest[0]]

    def for_eval(self):
        names = {}
        for name, text in self.arguments.items():
            try:
                names[name] = float(text) if '.' in text else int(text)
            except ValueError:
                names[name] = {'true': True, 'false': False}.get(text.lower(), text)
        plain = {f.__name__: f for f in (list, dict, map, str, float, int)}
        return {**names, **plain, **{k: v for k, v in vars(math).items() if k[0] != '_'},
                'true': True, 'false': False}

    def read(self, path):
        return xml.dom.minidom.parse(path).documentElement

    def expand(self):
        root, scope = self.read(self.files[0]), Scope(self)
        return self.element(root, root.tagName, scope)

    def attributes(self, node, scope):
        return {k: str(self.value(v, scope)) for k, v in node.attributes.items()
                if not k.startswith('xacro:') and k != 'xmlns:xacro'}

    def element(self, node, name, scope):
        if isinstance(node, tuple):  # a block, which is evaluated again
            made = (name, {k: str(self.value(v, scope)) for k, v in node[1].items()}, [])
        else:
            made = (name, self.attributes(node, scope), [])
        self.contents(node, scope, made[2], made[1])
        return made

    def contents(self, node, scope, out, owner=None):
        if isinstance(node, tuple):
            for child in node[2]:
                out.append(self.element(child, child[0], scope) if isinstance(child, tuple)
                           else child if isinstance(child, Literal) else str(self.value(child, scope)))
            return
        for child in list(node.childNodes):
            if child.nodeType == TEXT:
                out.append(str(self.value(child.data, scope)))
            elif child.nodeType == CDATA:
                out.append(Literal(child.data))
            elif child.nodeType == ELEMENT and child.tagName.startswith('xacro:'):
                self.directive(child, child.tagName[6:], scope, out, owner)
            elif child.nodeType == ELEMENT:
                out.append(self.element(child, child.tagName, scope))

    def text(self, node, name, scope, default=None):
        if not node.hasAttribute(name) and default is None:
            raise Error(f'{node.tagName} without {name}')
        return self.value(node.getAttribute(name) if node.hasAttribute(name) else default, scope)

    def directive(self, node, kind, scope, out, owner):
        if kind == 'property':
            return self.property(node, scope)
        if kind == 'macro':
            if not node.hasAttribute('name'):
                raise Error('a macro without a name')
            scope.macros[node.getAttribute('name').removeprefix('xacro:')] = (
                node, parameters(node.getAttribute('params')))
        elif kind == 'arg':
            name = node.getAttribute('name')
            if name not in self.arguments:
                self.arguments[name] = str(self.text(node, 'default', scope))
        elif kind in ('if', 'unless'):
            if truth(self.text(node, 'value', scope)) == (kind == 'if'):
                self.contents(node, scope, out)
        elif kind == 'include':
            self.include(node, scope, out)
        elif kind == 'insert_block':
            name = str(self.text(node, 'name', scope))
            whole, inside = scope.first('blocks', '*' + name), scope.first('blocks', '**' + name)
            if not whole and not inside:
                raise Error(f'no block {name}')
            if inside:
                self.contents(inside, scope, out)
            else:
                out.append(self.element(whole, whole[0], scope))
        elif kind == 'element':
            name = str(self.text(node, 'xacro:name', scope))
            if not name:
                raise Error('an element without a name')
            out.append(self.element(node, name, scope))
        elif kind == 'attribute':
            if owner is None:
                raise Error('an attribute of nothing')
            owner[str(self.text(node, 'name', scope))] = str(self.text(node, 'value', scope))
        else:
            name = str(self.text(node, 'macro', scope)) if kind == 'call' else kind
            self.call(node, name, scope, out, ('macro',) if kind == 'call' else ())

    def property(self, node, scope):
        name = str(self.text(node, 'name', scope))
        if not name.isidentifier() or not isinstance(ast.parse(name).body[0], ast.Expr) or name in ('True', 'False', 'None'):
            raise Error(f'a property named {name}')
        if truth(self.text(node, 'remove', scope, 'false')):
            for one in scope.chain():
                one.values.pop(name, None), one.texts.pop(name, None)
            return
        value = node.getAttribute('value') if node.hasAttribute('value') else None
        if node.hasAttribute('default'):
            if value is not None:
                raise Error('value and default')
            if scope.has(name) or name in vars(math):
                return
            value = node.getAttribute('default')
        lazy, target = truth(self.text(node, 'lazy_eval', scope, 'true')), scope
        where = node.getAttribute('scope')
        if where == 'global':
            lazy, target = False, list(scope.chain())[-1]
        elif where == 'parent':
            lazy, target = False, scope.above
            while target and target.space and not scope.space:
                target = target.above
            if not target:
                raise Error('no parent')
        if value is None:
            target.blocks['**' + name] = node
        else:
            target.put(name, value if lazy else self.value(value, scope), lazy)

    def include(self, node, scope, out):
        path = self.near(str(self.text(node, 'filename', scope)))
        inner = scope
        if node.hasAttribute('ns'):
            name = str(self.text(node, 'ns', scope))
            inner = Scope(self, scope, True)
            scope.spaces[name] = inner
            scope.values[name] = Space(inner)
        for one in sorted(glob.glob(path)) if re.search('[*?[]', path) else [path]:
            if not os.path.isfile(one):
                if truth(node.getAttribute('optional') or False):
                    continue
                raise Error(f'no file {one}')
            self.files.append(one)
            self.contents(self.read(one), inner, out)
            self.files.pop()

    def call(self, node, name, scope, out, skipped):
        *path, last = name.split('.')
        place = scope
        for part in path:
            place = place.first('spaces', part) if place is scope else place.spaces[part]
            if place is None:
                raise Error(f'no namespace {part}')
        found = place.first('macros', last)
        if not found:
            raise Error(f'no macro {name}')
        body, wanted = found
        own = Scope(self, place)
        plain = [p for p in wanted if p[0][0] != '*']
        for key, text in node.attributes.items():
            if key in skipped or key.startswith('xmlns:'):
                continue
            if key not in [p[0] for p in plain]:
                raise Error(f'no parameter {key}')
            own.put(key, self.value(text, scope), False)
        made = []
        self.contents(node, scope, made)
        blocks = [b for b in made if isinstance(b, tuple)]
        stars = [p[0] for p in wanted if p[0][0] == '*']
        if len(blocks) != len(stars):
            raise Error('blocks')
        own.blocks.update(zip(stars, blocks))
        for key, above, initial in plain:
            if node.hasAttribute(key) and key not in skipped:
                continue
            if above and scope.has(key):
                own.put(key, scope.find(key), False)
            elif initial is not None:
                own.put(key, self.value(initial, scope), False)
            else:
                raise Error(f'{key} is missing')
        self.contents(body, own, out)


class Literal(str):
    """Of CDATA, which is not evaluated."""


def expand(path, arguments=(), packages=None):
    return File(path, arguments, packages or {}).expand()
