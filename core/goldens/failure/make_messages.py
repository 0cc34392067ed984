"""Provokes each failure in Blender itself and writes down what it says: `messages.json`.

Run with a Python that has bpy 5.0.1: `python make_messages.py`.
"""

import json
import pathlib

import bpy
import bmesh  # there once bpy is


def cube():
    bpy.ops.mesh.primitive_cube_add()
    return bpy.context.object


def principled():
    material = bpy.data.materials.new("m")
    material.use_nodes = True
    return material.node_tree.nodes["Principled BSDF"]


def mesh_of_cube():
    bm = bmesh.new()
    bmesh.ops.create_cube(bm)
    return bm


def outdated():
    bm = bmesh.new()
    bm.verts.new((0, 0, 0))
    bm.verts[0]


def removed_vertex():
    bm = mesh_of_cube()
    vertex = next(iter(bm.verts))
    bm.verts.remove(vertex)
    vertex.co.x = 1


def removed_object():
    thing = cube()
    bpy.data.objects.remove(thing)
    thing.name


def face_again():
    bm = mesh_of_cube()
    face = next(iter(bm.faces))
    bm.faces.new(face.verts)


def vertex_twice():
    bm = mesh_of_cube()
    vertex = next(iter(bm.verts))
    bm.faces.new([vertex, vertex, vertex])


def engine(name):
    bpy.context.scene.render.engine = name


CASES = [
    ("B5-API", lambda: principled().inputs["Specular"]),
    ("B5-API", lambda: principled().inputs["Clearcoat Roughness"]),
    ("OTHER", lambda: principled().inputs["Shininess"]),
    ("B5-API", lambda: setattr(cube().data, "use_auto_smooth", True)),
    ("B5-API", lambda: cube().data.calc_normals()),
    ("B5-API", lambda: cube().data.auto_smooth_angle),
    ("OTHER", lambda: cube().data.smoothness),
    ("B5-API", lambda: cube().use_auto_smooth),
    ("B5-API", lambda: setattr(bpy.data.materials.new("m"), "shadow_method", "NONE")),
    ("B5-API", lambda: cube().modifiers.new("b", "BEVEL").bevel_width),
    ("B5-API", lambda: cube().modifiers.new("s", "SIMPLE_DEFORM").axis),
    ("OTHER", lambda: cube().modifiers.new("s", "SCREW").axes),
    ("B5-API", lambda: bpy.data.particles.new("p").draw_size),
    ("B5-API", lambda: engine("BLENDER_EEVEE_NEXT")),
    ("OTHER", lambda: engine("PIXIE")),
    ("B5-API", lambda: cube().modifiers.new("s", "SUBDIVISION")),
    ("B5-API", lambda: cube().modifiers.new("s", "UNHEARD_OF")),
    ("B5-API", lambda: bmesh.ops.create_cone(bmesh.new(), diameter1=1.0)),
    ("B5-API", lambda: bmesh.ops.create_uvsphere(bmesh.new(), diameter=1.0)),
    ("B5-API", lambda: bmesh.ops.subdivide_edges(mesh_of_cube(), number_cuts=2)),
    ("B5-API", lambda: bmesh.ops.bevel(mesh_of_cube(), vertex_only=True)),
    ("B5-API", lambda: bmesh.ops.create_cylinder(bmesh.new())),
    ("OTHER", lambda: bmesh.ops.create_pyramid(bmesh.new())),
    ("B5-API", lambda: bpy.ops.mesh.primitive_cube_add(subdivisions=2)),
    ("OTHER", lambda: bpy.ops.mesh.primitive_cube_add(sides=2)),
    ("B5-API", lambda: exec("from mathutils import Noise")),
    ("B5-API", lambda: exec("mathutils.Vector()", {})),
    ("B5-API", lambda: principled().id_data.nodes.new("ShaderNodeTexMusgrave")),
    ("B5-API", lambda: bpy.data.node_groups.new("g", "GeometryNodeTree").nodes.new("GeometryNodeUnheardOf")),
    ("B5-API", lambda: bpy.data.textures.new("t", "PERLIN")),
    ("BMSH", outdated),
    ("BMSH", removed_vertex),
    ("BMSH", removed_object),
    ("BMSH", face_again),
    ("BMSH", vertex_twice),
    ("BMSH", lambda: {}["geom"]),
    ("OTHER", lambda: {}["geometry"]),
    ("CTX", lambda: bpy.ops.object.shade_smooth({}, 1, 2)),
    ("CTX", lambda: bpy.ops.view3d.snap_cursor_to_center()),
    ("MODULE", lambda: exec("import cadquery")),
    ("MODULE", lambda: exec("import scipy.nothing_such")),
    ("OTHER", lambda: exec("from sys import sine")),
    ("OTHER", lambda: 1 / 0),
    ("OTHER", lambda: exec("def f(:\n pass")),
]


def main():
    said = []
    for expected, provoke in CASES:
        try:
            provoke()
        except Exception as error:
            said.append({"class": expected, "kind": type(error).__name__, "message": str(error)})
        else:
            raise SystemExit(f"case {len(said)} ({expected}) did not fail")
    out = {"blender": bpy.app.version_string, "said": said}
    path = pathlib.Path(__file__).with_name("messages.json")
    path.write_text(json.dumps(out, indent=1, ensure_ascii=True) + "\n")


main()
