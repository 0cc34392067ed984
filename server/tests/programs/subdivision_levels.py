# The viewport shows one level of subdivision, a final render would show three.
import bpy

bpy.ops.mesh.primitive_cube_add()
subdivision = bpy.context.object.modifiers.new("smooth", "SUBSURF")
subdivision.levels, subdivision.render_levels = 1, 3
