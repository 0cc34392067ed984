# Ends Blender.
import bpy

bpy.ops.mesh.primitive_cube_add()
bpy.ops.wm.quit_blender()
bpy.ops.mesh.primitive_cube_add(location=(9, 0, 0))
