# A curve without thickness has no surface.
import bpy

bpy.ops.curve.primitive_bezier_circle_add()
