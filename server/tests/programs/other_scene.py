# Built in a scene that nobody looks at.
import bpy

other = bpy.data.scenes.new("other")
mesh = bpy.data.meshes.new("triangle")
mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
other.collection.objects.link(bpy.data.objects.new("triangle", mesh))
