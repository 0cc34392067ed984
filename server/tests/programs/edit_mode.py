# Ends in edit mode, with a part that only the edit mesh has.
import bpy

bpy.ops.mesh.primitive_cube_add()
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.primitive_cube_add(location=(4, 0, 0))
