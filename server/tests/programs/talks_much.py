# A hundred megabytes of output.
import bpy

for _ in range(1600):
    print("x" * 65_536)
bpy.ops.mesh.primitive_cube_add()
