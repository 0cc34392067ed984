import bpy

for x in range(3)
    bpy.ops.mesh.primitive_cube_add()
