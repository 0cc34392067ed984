# Four million triangles.
import bpy
import numpy

SIDE = 1415
x, y = numpy.meshgrid(numpy.arange(SIDE), numpy.arange(SIDE))
height = 20 * numpy.sin(x / 40) * numpy.cos(y / 40)
points = numpy.stack((x, y, height), axis=-1).astype(numpy.float32)
at = numpy.arange(SIDE * SIDE).reshape(SIDE, SIDE)
quads = numpy.stack((at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]), axis=-1).reshape(-1, 4)
mesh = bpy.data.meshes.new("hills")
mesh.vertices.add(points.size // 3)
mesh.vertices.foreach_set("co", points.reshape(-1))
mesh.loops.add(quads.size)
mesh.loops.foreach_set("vertex_index", quads.reshape(-1).astype(numpy.int32))
mesh.polygons.add(len(quads))
mesh.polygons.foreach_set("loop_start", numpy.arange(0, quads.size, 4, dtype=numpy.int32))
mesh.update(calc_edges=True)
bpy.context.collection.objects.link(bpy.data.objects.new("hills", mesh))
