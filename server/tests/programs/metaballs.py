# Two drops that flow together.
import bpy

for x in (0.0, 1.2):
    bpy.ops.object.metaball_add(type="BALL", location=(x, 0, 0))
