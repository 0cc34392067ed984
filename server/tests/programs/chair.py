# A chair of boxes, as large as its first constant says.
import bpy

SCALE = 1.0


def box(name, middle, size):
    bpy.ops.mesh.primitive_cube_add(size=1, location=[SCALE * x for x in middle])
    bpy.context.object.name = name
    bpy.context.object.scale = [SCALE * x for x in size]


box("seat", (0, 0, 0.45), (0.45, 0.45, 0.04))
for x in (-0.2, 0.2):
    for y in (-0.2, 0.2):
        box("leg", (x, y, 0.215), (0.04, 0.04, 0.43))
    box("post", (x, 0.21, 0.7), (0.03, 0.03, 0.46))
for z in (0.6, 0.72, 0.84):
    box("slat", (0, 0.21, z), (0.37, 0.02, 0.06))
