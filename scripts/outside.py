"""Runs the Python blocks of a page, one after the other in one session.

    python outside.py PAGE FOLDER     FOLDER: contains the files that the blocks read and write
"""

import os
import sys

page, folder = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    lines = file.read().split("\n")
os.chdir(folder)

session = {"__name__": "__main__"}
blocks, begin = 0, None
for number, line in enumerate(lines):
    if line == "```python":
        begin = number + 1
    elif line == "```" and begin is not None:
        # Empty lines before the block, so that errors name the line of the page.
        source = "\n" * begin + "\n".join(lines[begin:number])
        exec(compile(source, page, "exec"), session)
        blocks, begin = blocks + 1, None
if blocks == 0:
    sys.exit(f"{page} has no Python")
print(f"{page}: {blocks} blocks of Python")
