# The interpreter's own goodbye, without a status.
import bpy

bpy.ops.mesh.primitive_cube_add()
quit()
