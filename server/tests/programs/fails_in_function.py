# The line that counts is the last one of the program, not the library's in which it ends.
import bpy
import numpy


def corners(rows):
    return numpy.zeros(3).reshape(rows, 2)


bpy.ops.mesh.primitive_cube_add()
corners(5)
