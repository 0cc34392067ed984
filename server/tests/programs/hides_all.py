# Nothing is seen.
import bpy

bpy.ops.mesh.primitive_cube_add()
bpy.context.object.hide_set(True)
