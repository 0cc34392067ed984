# Edges without faces.
import bpy

mesh = bpy.data.meshes.new("wire")
mesh.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
bpy.context.collection.objects.link(bpy.data.objects.new("wire", mesh))
