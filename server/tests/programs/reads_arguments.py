# Reads arguments after `--`; there are none, so the defaults hold.
import argparse
import sys

import bpy

parser = argparse.ArgumentParser()
parser.add_argument("--copies", type=int, default=2)
rest = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:]
for x in range(parser.parse_args(rest).copies):
    bpy.ops.mesh.primitive_cube_add(location=(3 * x, 0, 0))
