# Says that something went wrong.
import sys

import bpy

bpy.ops.mesh.primitive_cube_add()
sys.exit(3)
