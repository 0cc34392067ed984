# One of two triangles has a corner that is no number.
import bpy

mesh = bpy.data.meshes.new("triangles")
mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (float("nan"), 0, 1)], [], [(0, 1, 2), (0, 1, 3)])
bpy.context.collection.objects.link(bpy.data.objects.new("triangles", mesh))
