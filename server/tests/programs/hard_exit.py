# Leaves without a word, after building something.
import os

import bpy

bpy.ops.mesh.primitive_cube_add()
os._exit(0)
