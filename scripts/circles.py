#!/usr/bin/env python3
"""Checks the order of files: fails if files use each other in circles, or folders use folders below them.

    scripts/circles.py [crate...]

The script reads the paths and macros that each file uses, in `use` declarations and in expressions. It follows
each path through re-exports to the file that defines the item. It then checks two rules:

1. A circle has at most MOST files, except the circles of ACCEPTED. `ode-core` has no circle of files. In the
   other crates a parser or elaborator may consist of several files, so there the modules of `lib.rs`, each
   with all files of its folder, have no circle.
2. A folder of `ode-core` uses only the folders in its row of ARCHITECTURE.md, which are above it in that table.
   A row names no unused folder, so the table shows the actual uses.

The script prints the largest circle of files. It ignores tests, and paths that begin with an argument of a
macro (`$name::...`).
"""
import re
import sys
from pathlib import Path

# ARCHITECTURE.md has the reasons.
ACCEPTED = {
    "ode-core": [],
    "ode-codegen": [{"derive", "functions", "graph", "simplify"}, {"elaborate"}],
    "ode-arrays": [],
    "ode-cluster": [],
    "ode-gpu": [],
}
MOST = 5
BY_FILES = {"ode-core"}
# The crate whose folders have rows, and folders that count as one layer: numbers have elementary functions,
# which are programs on numbers.
LAYERED, FLOOR = "ode-core", {"lane", "math"}
USE = re.compile(r"(pub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
ITEM = r"\b(?:struct|enum|trait|fn|const|static|type|macro_rules!)\s+"


def stripped(text):
    """Returns the code without comments, strings and tests."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    tests = re.search(r"#\[cfg\(test\)\]\s*mod\s+\w+\s*\{", text)
    return text[: tests.start()] if tests else text


def paths(tree, prefix=()):
    """Returns the paths of a `use` tree, each with the name that it gets."""
    head, brace, rest = tree.strip().partition("{")
    if not brace:
        path, _, alias = head.partition(" as ")
        path = [*prefix, *filter(None, (part.strip() for part in path.split("::")))]
        if path[-1] == "self":
            path.pop()
        return [(path, alias.strip() or path[-1])]
    prefix = [*prefix, *filter(None, (part.strip() for part in head.split("::")))]
    found, depth, part = [], 0, ""
    for letter in rest[: rest.rindex("}")] + ",":
        if letter == "," and depth == 0:
            found += paths(part, prefix) if part.strip() else []
            part = ""
        else:
            depth += (letter == "{") - (letter == "}")
            part += letter
    return found


class Crate:
    def __init__(self, root):
        self.text = {}
        for file in sorted(root.rglob("*.rs")):
            if file.name == "tests.rs":
                continue
            parts = file.relative_to(root).with_suffix("").parts
            self.text["" if parts == ("lib",) else "::".join(parts)] = stripped(file.read_text())
        self.imports = {name: [] for name in self.text}
        self.macros = {}
        for name, text in self.text.items():
            for macro in re.findall(r"\bmacro_rules!\s+(\w+)", text):
                self.macros.setdefault(macro, []).append(name)
        for name, text in self.text.items():
            for public, tree in USE.findall(text):
                # A `use` in a macro, of its arguments.
                if not re.fullmatch(r"[\w\s:,{}*]+|\$crate[\w\s:,{}*]+", tree):
                    continue
                self.imports[name] += [(path, alias, bool(public)) for path, alias in paths(tree)]

    def file(self, module, path, seen=frozenset()):
        """Returns the file that defines the item of a path in `module`; None if the file is not in this crate."""
        here = module.split("::") if module else []
        if path[0] in ("crate", "$crate"):
            here, path = [], path[1:]
        elif path[0] in ("self", "super"):
            while path and path[0] in ("self", "super"):
                here, path = (here[:-1] if path[0] == "super" else here), path[1:]
        elif "::".join([*here, path[0]]) not in self.text:
            return None
        whole = [*here, *path]
        depth = len(whole)
        while "::".join(whole[:depth]) not in self.text:
            depth -= 1
        owner, rest = "::".join(whole[:depth]), whole[depth:]
        if rest and (owner, rest[0]) not in seen and not re.search(ITEM + re.escape(rest[0]) + r"\b", self.text[owner]):
            for target, alias, public in self.imports[owner]:
                if public and alias in (rest[0], "*"):
                    onward = [*target[:-1], *rest] if alias == "*" else [*target, *rest[1:]]
                    found = self.file(owner, onward, seen | {(owner, rest[0])})
                    if found is not None and (alias != "*" or re.search(ITEM + rest[0], self.text[found])):
                        return found
        return owner

    def is_module(self, module, path):
        """Returns whether a path names a module with a folder, whose files define its items."""
        name = "::".join(path[1:] if path[0] == "crate" else [*module.split("::"), *path])
        return name in self.text and any(other.startswith(f"{name}::") for other in self.text)

    def used(self, module):
        """Returns the files that a file uses, each with one of the paths."""
        body = USE.sub("", self.text[module])
        names = {alias: path for path, alias, _ in self.imports[module]}
        written = [
            path
            for path, alias, public in self.imports[module]
            # A file uses a re-export if it contains the name, and a module through the paths below it.
            if (not public or re.search(rf"(?<![\w:]){re.escape(alias)}\b", body))
            and not self.is_module(module, path)
        ]
        for found in re.findall(r"(?<![\w:$])(\$?\w+(?:::\$?\w+)+)", body):
            # The path before an argument of a macro. (`super` depends on the position of the macro's call.)
            path = re.split(r"(?:^|::)\$(?!crate\b)", found)[0].split("::")
            if path[-1] not in ("", "crate", "super"):
                written.append([*names[path[0]], *path[1:]] if path[0] in names else path)
        files = {self.file(module, path): "::".join(path) for path in written}
        for macro in re.findall(r"\b(\w+)!\s*[({\[]", self.text[module]):
            homes = self.macros.get(macro, [])
            if len(homes) == 1:
                files[homes[0]] = f"{macro}!"
        return {file: path for file, path in files.items() if file and file != module}

    def edges(self, node=lambda module: module):
        """Returns the graph of files, or of their images under `node`: for each node its uses, with a path."""
        edges = {node(module): {} for module in self.text if module}
        for module in filter(None, self.text):
            for file, path in self.used(module).items():
                if node(module) != node(file):
                    edges[node(module)][node(file)] = f"{module}: {path}"
        return edges


def circles(edges):
    """Returns the sets of nodes that reach each other."""

    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for node in edges.get(todo.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        return seen

    reach = {node: reached(node) for node in edges}
    found = {frozenset(b for b in reach if b in reach[a] and a in reach[b]) for a in reach}
    return [circle for circle in found if len(circle) > 1]


def top(module):
    return module.split("::")[0]


def rows(text):
    """Returns the table of folders: the folders that each may use, in order."""
    table = text[text.index(f"| folder of `{LAYERED}` |") :].split("\n\n")[0]
    found = re.findall(r"^\| `(\w+)` \|([^|]*)\|$", table, re.M)
    return {folder: re.findall(r"`(\w+)`", may) for folder, may in found}


def misplaced(folders, edges):
    """Yields errors in the table of folders, and violations of it."""
    above = set()
    for folder, may in folders.items():
        one_floor = FLOOR if folder in FLOOR else set()
        for other in sorted(set(may) - above - one_floor):
            yield f"`{folder}` may use `{other}`, which is not above it"
        for other in sorted(edges[folder].keys() - set(may) if folder in edges else ()):
            yield f"`{folder}` uses `{other}`    {edges[folder][other]}"
        for other in sorted(set(may) - edges.get(folder, {}).keys()):
            yield f"`{folder}` does not use `{other}`"
        above.add(folder)
    for folder in sorted(edges.keys() - folders.keys()):
        yield f"`{folder}` has no row"
    for folder in sorted(folders.keys() - edges.keys()):
        yield f"there is no `{folder}`"


def main():
    here = Path(__file__).resolve().parent.parent
    failed = False

    def fail(message):
        nonlocal failed
        failed = True
        print(message)

    for name in sys.argv[1:] or ACCEPTED:
        crate = Crate(here / name / "src")
        files, modules = crate.edges(), crate.edges(top)
        accepted = lambda circle: any({top(node) for node in circle} <= known for known in ACCEPTED[name])
        found = circles(files)
        largest = max(found, key=len, default=())
        print(f"{name}: the largest circle has {len(largest)} files", *sorted(largest))
        edges = files if name in BY_FILES else modules
        wrong = {circle: files for circle in found if len(circle) > MOST} | dict.fromkeys(circles(edges), edges)
        for circle, edges in wrong.items():
            if accepted(circle):
                continue
            fail(f"{name}: a circle of {len(circle)}")
            for a in sorted(circle):
                for b in sorted(circle & edges[a].keys()):
                    print(f"    {a} -> {b}    {edges[a][b]}")
        if name == LAYERED:
            for error in misplaced(rows((here / "ARCHITECTURE.md").read_text()), modules):
                fail(f"ARCHITECTURE.md: {error}")
    sys.exit(failed)


main()
