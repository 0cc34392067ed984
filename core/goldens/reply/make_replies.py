"""Writes replies.json: what the official code finds in replies, computed from its description with the real parser.

Run by Python 3.11, which is Blender's: `python3.11 make_replies.py`.
"""

import ast
import json
import pathlib
import re
import textwrap

FENCE = re.compile(r"\s*```(?:python|py)?\s*")


def parses(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def official(reply):
    """The program, and the lines dropped at both ends; None when nothing parses."""
    text = "\n".join(line for line in reply.split("\n") if not FENCE.fullmatch(line)).lstrip("\n")
    if reply.endswith("\n") and not text.endswith("\n"):
        text += "\n"
    if parses(text):
        return [text, 0, 0]
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    for total in range(1, 121):
        for head in range(min(total, 60) + 1):
            tail = total - head
            if tail > 60 or head + tail > len(lines):
                continue
            candidate = "".join(lines[head:len(lines) - tail])
            if candidate.strip() and parses(candidate):
                return [candidate, head, tail]
    return None


PROGRAM = textwrap.dedent("""\
    import bpy
    from math import pi

    def leg(x: float, *, y=0.0) -> None:
        bpy.ops.mesh.primitive_cube_add(location=(x, y, pi))

    for k in range(4):
        leg(k, y=-k)
    text = f"{k!r:>{4}} {'legs'}"
    match k:
        case 3 if (n := k) > 2:
            print(n, text)
        case _:
            pass
""")

REPLIES = [
    PROGRAM,
    f"```python\n{PROGRAM}```\n",
    f"```\n{PROGRAM}```",
    f"Here you are.\n\n```python\n{PROGRAM}```\nIt has four legs, as you asked.\n",
    f"```Python\n{PROGRAM}```\n",
    PROGRAM + "for k in range(",
    PROGRAM + "def unfinished(a, b):\n",
    "Sure",
    "I'm sorry, but I can't do that.",
    "",
    "```\n```\n",
    "x = 1\n  y = 2\n",
    "\tx = 1\n",
    "print 'old'\n",
    "x = 0777\n",
    "return 5\n",
    "await f()\n",
    "def f():\n    nonlocal x\n",
    "f(a=1, a=2)\n",
    "f(**a, *b)\n",
    "x = *a, *b\n",
    "del f()\n",
    "f() = 1\n",
    "None = 1\n",
    "a, b += 1\n",
    "'abc' 'def' b'g'\n",
    "'''never ends\n",
    "x = 'never ends\n",
    "f'{x!z}'\n",
    "f'{'\n",
    "lambda: (yield)\n",
    "def f(a, a): pass\n",
    "def f(a=1, b): pass\n",
    "try:\n    pass\n",
    "try: pass\nexcept* E: pass\n",
    "class A[T]: pass\n",
    "type X = int\n",
    "f'{x['a']}' f'{'a'}'\n",
    "if x:\npass\n",
    "if x:\n\tpass\n        pass\n",
    "x = 1 if y\n",
    "async def f():\n    async with a as b, c as d:\n        pass\n",
    "with (open(a) as b, open(c) as d):\n    pass\n",
    "import a.b as c, d\nfrom . import e\nfrom .. f import g\n",
    "from a import *\nfrom a import (b, c,)\n",
    "x: int = 3\ny = z = w\n(a): int\n",
    "print(1 2)\n",
    "x = {1: 2, 3}\n",
    "x = [for y in z]\n",
    "@decorated\nx = 1\n",
    "\ufeffx = 1\n",
    "x = 1\x0c\ny = 2\n",
    "x = \\\n1\n",
    "x = \\ 1\n",
    "é = 'ü'  # Ω\n",
    "x = 1__0\n",
    "x = 1_000.5e-3j\n",
    "x = $5\n",
    "x = a?b\n",
    "x = a ! b\n",
    "break\n",
    "x = (1\n",
    "x = 1)\n",
    "(" * 150 + ")" * 150 + "\n",
]

golden = [{"reply": reply, "official": official(reply)} for reply in REPLIES]
path = pathlib.Path(__file__).with_name("replies.json")
path.write_text(json.dumps(golden, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
