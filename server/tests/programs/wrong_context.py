# An operator that needs an active object in edit mode.
import bpy

bpy.ops.mesh.extrude_region()
