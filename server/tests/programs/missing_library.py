# A library that nobody installed.
import bpy
import pandas

bpy.ops.mesh.primitive_cube_add()
