# Every library of the pinned set.
import bpy
import numpy
import scipy.spatial
import shapely.geometry
import skimage.measure
import trimesh

corners = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
faces = scipy.spatial.ConvexHull(corners).simplices
assert shapely.geometry.box(0, 0, 1, 1).area == 1 and skimage.measure and len(trimesh.Trimesh(corners, faces).faces) == 4
mesh = bpy.data.meshes.new("hull")
mesh.from_pydata(corners.tolist(), [], faces.tolist())
bpy.context.collection.objects.link(bpy.data.objects.new("hull", mesh))
