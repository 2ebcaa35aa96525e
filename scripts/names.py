#!/usr/bin/env python3
"""One word per concept: fails if names or documents break the glossary of ARCHITECTURE.md.

    scripts/names.py

1. No two crates may have a public struct, enum or trait of the same name, except for those of SHARED.
2. No document and no doc comment may contain a retired word: a word in backticks in the last column of
   the glossary. Code blocks and code spans do not count, nor does the glossary itself.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Each crate has a trait that seals its own traits.
SHARED = {"Sealed"}
CRATE = re.compile(r"(?:(ode-\w+)/)?src/.*\.rs$")
PUBLIC = re.compile(r"^ *pub (?:struct|enum|trait|union) (\w+)", re.M)
TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod\s+\w+\s*\{")
FENCE = re.compile(r"^ *(?:> ?)*(```+|~~~+)")
SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
DOC = re.compile(r"^ *//[/!] ?(.*)$")


def tracked(*patterns):
    """The files that git tracks; links to others are left out."""
    names = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in names.stdout.split() if not (ROOT / name).is_symlink()]


def twice():
    """The names that are public in several crates, each with its files."""
    homes = {}
    for name in tracked("*.rs"):
        crate = CRATE.match(name)
        text = (ROOT / name).read_text()
        tests = TESTS.search(text)
        for item in PUBLIC.findall(text[: tests.start()] if tests else text) if crate else ():
            homes.setdefault(item, {}).setdefault(crate[1], name)
    return {item: files for item, files in homes.items() if len(files) > 1 and item not in SHARED}


def glossary(text):
    """The text without the glossary, and the retired words of its table."""
    start = text.index("## Glossary")
    end = text.find("\n## ", start + 1)
    table = text[start:end]
    cells = [row.strip("|").split("|") for row in table.split("\n") if row.startswith("| ")]
    words = [word for row in cells[1:] for word in re.findall(r"`([^`]+)`", row[2])]
    return text[:start] + re.sub(r"[^\n]", "", table) + text[end:], words


def prose(lines):
    """The lines without code blocks and code spans; each is empty where there is no prose."""
    kept, fence = [], None
    for line in lines:
        mark = FENCE.match(line)
        if fence or mark:
            fence = None if fence and mark and mark[1].startswith(fence) else fence or mark[1]
            line = ""
        kept.append(line)
    return SPAN.sub(lambda span: "\n" * span[0].count("\n"), "\n".join(kept)).split("\n")


def main():
    map_of_code = "ARCHITECTURE.md"
    rest, words = glossary((ROOT / map_of_code).read_text())
    retired = re.compile(r"\b(?:" + "|".join(words).replace(" ", r"\s+") + r")\b", re.I)
    failed = False
    for item, files in sorted(twice().items()):
        failed = True
        print(f"{item} is public in", *sorted(files.values()))
    for name in tracked("docs/*.md", "README.md", map_of_code, "CONTRIBUTING.md", "*/README.md", "*.rs"):
        lines = (rest if name == map_of_code else (ROOT / name).read_text()).split("\n")
        if name.endswith(".rs"):
            lines = [found[1] if (found := DOC.match(line)) else "" for line in lines]
        text = "\n".join(prose(lines))
        for found in retired.finditer(text):
            failed = True
            line = text.count("\n", 0, found.start()) + 1
            print(f"{name}:{line}: retired: {' '.join(found[0].split())}")
    sys.exit(failed)


main()
