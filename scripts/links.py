#!/usr/bin/env python3
"""Checks local links of the Markdown files: fails if the file or the anchor of a link does not exist.

    scripts/links.py

The script reads all Markdown files that git tracks. A link may be inline, an image, or a reference with its
definition. Anchors follow GitHub's rule: a heading's text in lower case, without punctuation, with `-` for each
space, and with `-1`, `-2`, … from its second occurrence on. The script does not follow links to other hosts.

The pages of the documentation begin with their own definitions, in `src/lib.rs` and `src/docs.rs`. rustdoc
checks the page of such a definition, and this script checks its anchor.
"""
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^ {0,3}(?:> ?)*\s*(`{3,}|~{3,})")
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
INLINE = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'][^\"')]*[\"'])?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[([^\]]+)\]:\s*<?([^\s>]+)>?.*$", re.MULTILINE)
REFERENCE = re.compile(r"\[([^\[\]]+)\]\[([^\[\]]*)\]")
HTML_ANCHOR = re.compile(r"<[a-z][^>]*\s(?:id|name)=\"([^\"]+)\"", re.IGNORECASE)
# A scheme, or a path of Rust, which rustdoc checks.
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|\w+::", re.IGNORECASE)
PAGE_LINK = re.compile(r"^\s*//[/!] \[([^\]]+)\]: (?:crate|(?:crate::)?docs::(\w+))#(\S+)$", re.MULTILINE)


def without_blocks(text):
    """Returns the text with empty lines in place of code blocks, so that line numbers stay."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip("`~ "):
                fence = None
            line = ""
        elif mark:
            fence, line = mark[1], ""
        lines.append(line)
    return "\n".join(lines)


def slug(heading):
    """Returns GitHub's anchor of a heading."""
    text = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", heading)
    kept = (c for c in text.lower() if c in " -_" or unicodedata.category(c)[0] in "LMN")
    return "".join(kept).replace(" ", "-")


def anchors(text):
    """Returns all anchors of a document."""
    found, seen = set(), {}
    for line in without_blocks(text).split("\n"):
        if heading := HEADING.match(line):
            name = slug(heading[1])
            seen[name] = seen.get(name, -1) + 1
            found.add(f"{name}-{seen[name]}" if seen[name] else name)
        found.update(HTML_ANCHOR.findall(line))
    return found


def links(text):
    """Yields the links of a document: the line, the target, and whether the target is a label."""
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", "x", code[0]), without_blocks(text))
    for pattern, group, is_label in ((INLINE, 1, False), (DEFINITION, 2, False), (REFERENCE, 2, True)):
        for link in pattern.finditer(prose):
            target = link[group] or link[1]
            yield prose.count("\n", 0, link.start()) + 1, target, is_label


class Documents:
    """The texts and anchors of the linked files, each read once."""

    def __init__(self):
        self.texts, self.found = {}, {}

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = path.read_text(encoding="utf-8")
        return self.texts[path]

    def anchors(self, path):
        if path not in self.found:
            self.found[path] = anchors(self.text(path))
        return self.found[path]

    def mistake(self, document, target):
        """Returns the mistake of a link from a document, or None."""
        name, _, anchor = target.partition("#")
        path = (document.parent / name).resolve() if name else document
        if not path.exists():
            return f"{target}: there is no file {name}"
        if anchor and path.suffix == ".md" and anchor not in self.anchors(path):
            return f"{target}: {path.relative_to(ROOT)} has no anchor #{anchor}"
        return None


def mistakes(documents, tracked):
    """Yields each mistake, with the file and the line of the link."""
    for name in tracked:
        document = ROOT / name
        text = documents.text(document)
        labels = {label.lower() for label, _ in DEFINITION.findall(without_blocks(text))}
        for line, target, is_label in links(text):
            if is_label:
                if " ".join(target.lower().split()) not in labels:
                    yield name, line, f"[{target}]: the label has no definition"
            elif not ELSEWHERE.match(target) and (mistake := documents.mistake(document, target)):
                yield name, line, mistake
    for name in ("src/lib.rs", "src/docs.rs"):
        text = documents.text(ROOT / name)
        for link in PAGE_LINK.finditer(text):
            page = f"docs/{link[2].replace('_', '-')}.md" if link[2] else "README.md"
            path = (ROOT / page).resolve()
            # Pages of the root, such as CHANGELOG.md.
            path = path if path.exists() else ROOT / f"{link[2].upper()}.md"
            if link[3] not in documents.anchors(path):
                line = text.count("\n", 0, link.start()) + 1
                yield name, line, f"{path.relative_to(ROOT)} has no anchor #{link[3]}"


def main():
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]
    found = sorted(set(mistakes(Documents(), tracked)))
    for name, line, mistake in found:
        print(f"{name}:{line}: {mistake}")
    print(f"links.py: {len(tracked)} files, {len(found)} mistakes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
