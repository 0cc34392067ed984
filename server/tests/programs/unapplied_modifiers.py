# Modifiers are left for the viewer to apply.
import bpy

bpy.ops.mesh.primitive_cube_add()
array = bpy.context.object.modifiers.new("row", "ARRAY")
array.count = 3
