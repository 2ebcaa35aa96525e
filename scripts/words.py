#!/usr/bin/env python3
"""Clarity of the English, by numbers: fails with `--limit` if a file or the whole project is above the limits.

    scripts/words.py [--limit] [file...]

Reads the Markdown files that git tracks (without code and tables) and the doc comments of the crates. Columns are counts per
1000 words:

    wh     clauses in place of a noun: "what is", "who solves", "of which", "that of", "which is how"
    said   software that says, tells, knows, hears or asks; "is said", "is told", "is there"
    long   sentences of more than 30 words
    late   limits behind their number: "30 events at most", "some five seconds"

By this script rayon has wh 0.7, said 0.1, long 5.8; diffsol has wh 0.4, said 0.0, long 7.6. The numbers find places to look at.
A sentence that is reshaped only to pass is worse than before.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Files with fewer words have no meaningful rates; files with fewer than FEW have no limits of their own.
FEWEST, FEW = 120, 300
# Limits of a file, and of the mean of all files.
FILE = {"wh": 4, "said": 2, "long": 12}
MEAN = {"wh": 1.5, "said": 0.5}

WH = re.compile(
    r"\b(what (?:is|are|was|has|have|a|an|the|it|they|one|each|other|of|no|needs|takes|makes|becomes)\b"
    r"|who (?:is|are|has|have|solve|solves|reads|writes|want|wants|wait|waits|uses|used|takes|evaluates|needs|copies|constructs)\b"
    r"|of which\b|in which\b|for which\b|to which\b|from which\b|by which\b|of whom\b|whose\b"
    r"|(?:is|are|as|than) (?:that|those) of\b|which is (?:how|what|why|where)\b"
    r"|none of|nobody|by one that|where (?:it|there) (?:is|are)\b)",
    re.IGNORECASE,
)
SAID = re.compile(
    r"\b((?:is|are|was|were) (?:said|told|asked|seen|handed|known|there\b)"
    r"|(?:says|tells|hears|knows|remembers|asks|learns)\b)",
    re.IGNORECASE,
)
LATE = re.compile(
    r"\b(?:\w+ (?:\w+ )?at (?:most|least)[.,;)]|some (?:two|three|four|five|six|ten|twenty|\d+)\b)", re.IGNORECASE
)
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*`X])")


def prose(path):
    """The words of a file: no code, tables or headings; X stands for a code span."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        text = "\n".join(re.findall(r"^\s*//[/!] ?(.*)$", text, re.MULTILINE))
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    text = re.sub(r"^\s*\|.*$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "X", text)
    text = re.sub(r"\]\([^)]*\)|\[|\]", " ", text)
    return re.sub(r"^#+ .*$", "", text, flags=re.MULTILINE)


def measure(path):
    """The number of words and the rates of a file; `None` for a short file."""
    text = prose(path)
    words = len(re.findall(r"\b[\w'’-]+\b", text))
    if words < FEWEST:
        return None
    sentences = SENTENCE.split(re.sub(r"\s+", " ", text))
    found = {
        "wh": len(WH.findall(text)),
        "said": len(SAID.findall(text)),
        "long": sum(len(sentence.split()) > 30 for sentence in sentences),
        "late": len(LATE.findall(text)),
    }
    return words, {column: count * 1000 / words for column, count in found.items()}


def tracked(*patterns):
    """The names of files that git tracks, without those that are links to others."""
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split() if not (ROOT / name).is_symlink()]


def line(words, rates, name):
    """A row of the table."""
    return f"{words:7} " + " ".join(f"{rates[column]:5.1f}" for column in ("wh", "said", "long", "late")) + f"  {name}"


def above(rates, limits):
    """The columns that exceed their limits."""
    return [column for column, limit in limits.items() if rates[column] > limit]


def main():
    limited = "--limit" in sys.argv[1:]
    names = [name for name in sys.argv[1:] if name != "--limit"]
    files = [Path(name) for name in names] or [ROOT / name for name in tracked("*.md", "src/*.rs", "ode-*/src/*.rs")]
    rows = [(path, *measured) for path in files if (measured := measure(path))]
    rows.sort(key=lambda row: -sum(row[2][column] for column in ("wh", "said", "long")))
    total = sum(words for _, words, _ in rows) or 1
    mean = {
        column: sum(words * rates[column] for _, words, rates in rows) / total for column in ("wh", "said", "long", "late")
    }
    wrong = [row for row in rows if row[1] >= FEW and above(row[2], FILE)]
    print("  words    wh  said  long  late  file")
    for path, words, rates in wrong if limited else rows:
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(line(words, rates, name))
    print(line(total, mean, f"all {len(rows)} files, {len(wrong)} of them above {FILE}"))
    if limited and (wrong or above(mean, MEAN)):
        print(f"words.py: the limits are {FILE} for a file and {MEAN} for the mean")
        sys.exit(1)


if __name__ == "__main__":
    main()
