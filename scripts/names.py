#!/usr/bin/env python3
"""One word per concept: fails if names or documents break the glossary of ARCHITECTURE.md.

    scripts/names.py

1. No two crates may have a public struct, enum or trait of the same name, except for those of SHARED.
2. No document and no doc comment may contain a retired word: a word in backticks in the last column of
   the glossary. Code blocks and code spans do not count, nor does the glossary itself.
"""
import re
import sys
from pathlib import Path

from links import CODE, without_blocks
from words import tracked

ROOT = Path(__file__).resolve().parent.parent
# Each crate has a trait that seals its own traits.
SHARED = {"Sealed"}
CRATE = re.compile(r"(?:(ode-\w+)/)?src/.*\.rs$")
PUBLIC = re.compile(r"^ *pub (?:struct|enum|trait|union) (\w+)", re.M)
TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod\s+\w+\s*\{")
DOC = re.compile(r"^ *//[/!] ?(.*)$")


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


def prose(text):
    """The text without code blocks and code spans; its lines keep their numbers."""
    return CODE.sub(lambda span: "\n" * span[0].count("\n"), without_blocks(text))


def main():
    map_of_code = "ARCHITECTURE.md"
    rest, words = glossary((ROOT / map_of_code).read_text())
    retired = re.compile(r"\b(?:" + "|".join(words).replace(" ", r"\s+") + r")\b", re.I)
    failed = False
    for item, files in sorted(twice().items()):
        failed = True
        print(f"{item} is public in", *sorted(files.values()))
    for name in tracked("docs/*.md", "README.md", map_of_code, "CONTRIBUTING.md", "*/README.md", "*.rs"):
        text = rest if name == map_of_code else (ROOT / name).read_text()
        if name.endswith(".rs"):
            text = "\n".join(found[1] if (found := DOC.match(line)) else "" for line in text.split("\n"))
        text = prose(text)
        for found in retired.finditer(text):
            failed = True
            line = text.count("\n", 0, found.start()) + 1
            print(f"{name}:{line}: retired: {' '.join(found[0].split())}")
    sys.exit(failed)


main()
