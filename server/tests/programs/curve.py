# A curve with thickness.
import bpy

bpy.ops.curve.primitive_bezier_circle_add()
bpy.context.object.data.bevel_depth = 0.1
