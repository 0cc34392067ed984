# Takes Blender's operators away, so that an exporter would fail.
import bpy

bpy.ops.mesh.primitive_cube_add()
bpy.ops = None
