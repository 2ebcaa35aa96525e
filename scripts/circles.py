#!/usr/bin/env python3
"""Circles of files: fails if files of a crate use each other in a circle that is not in ACCEPTED.

    scripts/circles.py [crate...]

Of each file the paths are read that it uses, in `use` declarations and in expressions, and each is
followed through re-exports to the file that has the item. Of `ode-core` files are compared, of the
other crates the modules of `lib.rs`, with all that is in their folders: a parser or an elaborator is
one thing in several files. Tests and the arguments of macros (`$name::...`) do not count.
"""
import re
import sys
from pathlib import Path

# Why is in ARCHITECTURE.md.
ACCEPTED = {
    "ode-core": [{"lane", "math", "sealed"}],
    "ode-codegen": [{"derive", "functions", "graph", "simplify"}],
    "ode-gpu": [],
}
BY_FILES = {"ode-core"}
USE = re.compile(r"(pub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
ITEM = r"\b(?:struct|enum|trait|fn|const|static|type|macro_rules!)\s+"


def stripped(text):
    """The code without comments, strings and tests."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    tests = re.search(r"#\[cfg\(test\)\]\s*mod\s+\w+\s*\{", text)
    return text[: tests.start()] if tests else text


def paths(tree, prefix=()):
    """The paths of a `use` tree, each with the name that it gets."""
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
        for name, text in self.text.items():
            for public, tree in USE.findall(text):
                # A `use` of a macro's, of what it is given.
                if not re.fullmatch(r"[\w\s:,{}*]+|\$crate[\w\s:,{}*]+", tree):
                    continue
                self.imports[name] += [(path, alias, bool(public)) for path, alias in paths(tree)]

    def file(self, module, path, seen=frozenset()):
        """The file that has the item of a path, as `module` writes it; None if it is no file here."""
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

    def used(self, module):
        """The files that a file uses, each with one of the paths."""
        body = USE.sub("", self.text[module])
        names = {alias: path for path, alias, _ in self.imports[module]}
        written = [
            path
            for path, alias, public in self.imports[module]
            # A re-export is used where the file itself says the name.
            if not public or re.search(rf"(?<![\w:]){re.escape(alias)}\b", body)
        ]
        for found in re.findall(r"(?<![\w:$])(\$?\w+(?:::\$?\w+)+)", body):
            path = found.split("::")
            if not any(part.startswith("$") and part != "$crate" for part in path):
                written.append([*names[path[0]], *path[1:]] if path[0] in names else path)
        files = {self.file(module, path): "::".join(path) for path in written}
        return {file: path for file, path in files.items() if file and file != module}


def circles(edges):
    """The sets of nodes that reach each other."""

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


def main():
    here = Path(__file__).resolve().parent.parent
    failed = False
    for name in sys.argv[1:] or ACCEPTED:
        crate = Crate(here / name / "src")
        edges = {}
        for module in filter(None, crate.text):
            for file, path in crate.used(module).items():
                a, b = (module, file) if name in BY_FILES else (module.split("::")[0], file.split("::")[0])
                if a != b:
                    edges.setdefault(a, {})[b] = path
                    edges.setdefault(b, {})
        for circle in circles(edges):
            if any({node.split("::")[0] for node in circle} <= accepted for accepted in ACCEPTED[name]):
                continue
            failed = True
            print(f"{name}: a circle of {len(circle)}")
            for a in sorted(circle):
                for b in sorted(circle & edges[a].keys()):
                    print(f"    {a} -> {b}    {edges[a][b]}")
    sys.exit(failed)


main()
