# One cube is seen; two are hidden, each in another way. A third is only left out of renders, so it is seen.
import bpy

for x in range(4):
    bpy.ops.mesh.primitive_cube_add(location=(3 * x, 0, 0))
    bpy.context.object.name = f"cube {x}"
bpy.data.objects["cube 1"].hide_set(True)
bpy.data.objects["cube 2"].hide_viewport = True
bpy.data.objects["cube 3"].hide_render = True
