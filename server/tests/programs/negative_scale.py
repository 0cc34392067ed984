# A cube mirrored by its scale.
import bpy

bpy.ops.mesh.primitive_cube_add()
bpy.context.object.scale = (-1, 1, 2)
