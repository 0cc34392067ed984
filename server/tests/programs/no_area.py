# A triangle whose corners are in line.
import bpy

mesh = bpy.data.meshes.new("line")
mesh.from_pydata([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [], [(0, 1, 2)])
bpy.context.collection.objects.link(bpy.data.objects.new("line", mesh))
