# A program of several files.
import bpy

from parts.leg import HEIGHT, add_leg

for corner in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
    add_leg(*corner)
bpy.ops.mesh.primitive_cube_add(location=(0, 0, HEIGHT), scale=(1.2, 1.2, 0.05))
