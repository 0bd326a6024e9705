"""The package as a whole: what it says of itself, its help texts with their examples, its type stubs."""

import ast
import doctest
import inspect
import pathlib
import re

import numpy as np
import pytest

import proven
import proven.client
import proven.scale

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(proven.__file__).parent
MODULES = {
    "__init__": proven,
    "roadmap": proven.roadmap,
    "spacetime": proven.spacetime,
    "task": proven.task,
    "notebook": proven.notebook,
    "client": proven.client,
    "scale": proven.scale,
}


def test_version_is_that_of_the_build():
    text = (ROOT / "CMakeLists.txt").read_text()
    assert proven.__version__ == re.search(r"project\(proven VERSION ([0-9.]+)", text).group(1)


def names_of(module):
    return [name for name in module.__all__ if name != "__version__" and not inspect.ismodule(getattr(module, name))]


def documented():
    """Every function, class and method that people call, by its full name."""
    for module in MODULES.values():
        for name in names_of(module):
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                for member, value in vars(thing).items():
                    function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
                    if not member.startswith("_") and callable(function):
                        yield f"{module.__name__}.{name}.{member}", function


# Errors say what they are in a sentence; a client needs a server, which docs/serve.md and serve_test.py show, and what scales
# a cluster, as docs/audit.md and scale_test.py have it.
WITHOUT_EXAMPLE = re.compile(r"proven\.(Error|client\..*|scale\..*)$")


def test_everything_is_documented_with_an_example():
    missing = [
        name
        for name, thing in documented()
        if not thing.__doc__ or (">>>" not in thing.__doc__ and not WITHOUT_EXAMPLE.match(name))
    ]
    assert missing == []


@pytest.mark.parametrize("name,thing", list(documented()), ids=lambda value: value if isinstance(value, str) else "")
def test_examples_of_help_texts_are_true(name, thing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name.startswith("proven.notebook"):
        try:
            proven.notebook.view(proven.Scene())
        except proven.Error as error:
            pytest.skip(str(error))  # a build without the viewer
    text = thing.__doc__ or ""
    scope = {"proven": proven, "np": np, "scene": proven.built_in_scene("demo")}
    test = doctest.DocTestParser().get_doctest(text, scope, name, None, 0)
    failures = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=failures.append)
    assert not failures, "".join(failures)


def stub_members(body):
    """Names in a stub's body, and the arguments of its functions."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)
            names = [a.arg for a in node.args.args if a.arg not in ("self", "cls")]
            names += [node.args.vararg.arg] if node.args.vararg else []
            names += [a.arg for a in node.args.kwonlyargs]
            names += [node.args.kwarg.arg] if node.args.kwarg else []
            found[node.name] = None if is_property else names
        elif isinstance(node, ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = None
        elif isinstance(node, ast.Assign):
            found[node.targets[0].id] = None
    return found


def arguments_of(function):
    """Names of a function's arguments; of those of the module, what it tells in its first line."""
    text = function.__doc__ or ""
    told = re.match(r"\w+\((.*)\) -> ", text)
    if not told:
        return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    plain = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", told.group(1))))
    return re.findall(r"(?:^|, )\**(\w+)(?=:)", plain.replace("self:", "self :"))


@pytest.mark.parametrize("file", MODULES)
def test_stubs_list_everything_and_nothing_else(file):
    module = MODULES[file]
    stub = stub_members(ast.parse((PACKAGE / f"{file}.pyi").read_text()).body)
    assert {n for n in stub if not n.startswith("_")} == set(names_of(module))
    checked = 0
    for name in names_of(module):
        thing, told = getattr(module, name), stub[name]
        if not isinstance(told, ast.ClassDef):
            if told is not None:
                assert told == arguments_of(thing), name
                checked += 1
            continue
        members = stub_members(told.body)
        own = {m for m in vars(thing) if not m.startswith("_")}
        attributes = {"page", "height", "answer", "process"}  # which objects get when they are made
        assert {m for m in members if not m.startswith("_")} - (attributes - own) == own, name
        for member in own:
            value = vars(thing)[member]
            function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if callable(function) and member not in ("with_obstacle", "with_held"):  # which take words of shapes
                assert members[member] == arguments_of(function), f"{name}.{member}"
                checked += 1
    assert checked > 0


def test_planners_of_ompl_are_there_where_the_build_has_them():
    names = proven.planners()
    assert "rrt-connect" in names
    cache = (PACKAGE.parents[1] / "CMakeCache.txt").read_text() if (PACKAGE.parents[1] / "CMakeCache.txt").exists() else ""
    if re.search(r"^OMPL_LIBRARY:FILEPATH=/", cache, re.MULTILINE):
        assert "ompl:RRTConnect" in names
        scene = proven.built_in_scene("demo")
        start = [1.61, 0.38, 0.61, -0.43, -0.69, -0.69]
        goal = [-0.41, 0.41, 0.26, 0.57, 0.77, -0.21]
        planned = proven.plan(scene, start, goal, planner="ompl:RRTConnect", certificate=True)
        assert planned.status == "solved" and proven.verify(scene, planned.path, planned.certificate).accepted
    with pytest.raises(proven.Error, match="ompl|planner"):
        proven.plan(proven.built_in_scene("demo"), np.zeros(6), np.zeros(6) + 0.1, planner="ompl:Magic")
