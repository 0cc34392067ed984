import bpy

HEIGHT = 0.8


def add_leg(x, y):
    bpy.ops.mesh.primitive_cube_add(location=(x, y, HEIGHT / 2), scale=(0.05, 0.05, HEIGHT / 2))
