"""Four pictures of a mesh, by a process that never saw the program. It measures nothing.

Called as `python render.py JOB` or `blender --background --factory-startup --python render.py -- JOB`, where JOB is
JSON: `{"mesh", "out", "views"}`; `mesh` is a folder with `positions.f64` and `normals.f32`, rows of three in glTF's
frame, and `triangles.u32`, rows of three, all little-endian: the mesh as it is measured. Pictures are
`out/{045,135,225,315}.png`, by the camera's azimuth about the up axis. Views:

- `meshmark`: Cycles, one grey material, light and framing relative to the mesh's size
- `quick`: Workbench, framed alike
- `official`: the benchmark's cameras and lights, which are not relative to the size

Frames: Blender's, Z up; metres, or extents (the longest side of the bounding box is 1) where it says so.
"""

import json
import math
import os
import struct
import sys
import traceback
import zlib

import bpy
import numpy
from mathutils import Vector

AZIMUTHS_DEG = (45, 135, 225, 315)
PIXELS = 512
SENSOR_MM, LENS_MM = 36.0, 50.0
HALF_VIEW = math.atan(SENSOR_MM / 2 / LENS_MM)

# The benchmark's stage, relative to the extent: distance of the camera from the axis, and its height.
RADIUS, HEIGHT = 1.8, 0.6
# Position in parts of radius, radius, height; watts; side of the square in extents.
LIGHTS = (
    ("key", (0.9, -0.7, 1.7), 1200.0, 0.9),
    ("fill", (-0.6, -0.4, 1.0), 400.0, 1.2),
    ("rim", (0.0, 0.9, 1.3), 600.0, 0.7),
)
# The same lights for an extent of 1 m: so that a sphere of grey 0.72 is at most about 200 of 255 bright.
MESHMARK_WATTS = 0.04
WORLD = (0.012, 0.013, 0.021, 1.0)
BASE_COLOR = (0.72, 0.72, 0.75, 1.0)
ROUGHNESS = 0.65
# Behind the object, sRGB.
BACKGROUND = 128
# Room about the bounding sphere.
MARGIN = 1.05


def look_at_origin(thing):
    """Turns a camera or light at its place towards the origin."""
    thing.rotation_euler = (-thing.location).to_track_quat("-Z", "Y").to_euler()


def add_camera(scene):
    """The camera of all views."""
    data = bpy.data.cameras.new("view")
    data.lens, data.sensor_width, data.sensor_fit = LENS_MM, SENSOR_MM, "HORIZONTAL"
    camera = bpy.data.objects.new("view", data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    return camera


def add_lights(scene, extent, factor):
    """Key, fill and rim."""
    for name, (x, y, z), watts, size in LIGHTS:
        data = bpy.data.lights.new(name, "AREA")
        data.shape, data.energy, data.size = "SQUARE", watts * factor, size * extent
        light = bpy.data.objects.new(name, data)
        light.location = (x * RADIUS * extent, y * RADIUS * extent, z * HEIGHT * extent)
        look_at_origin(light)
        scene.collection.objects.link(light)


def set_world(scene):
    """A faint, even light from everywhere."""
    world = bpy.data.worlds.new("world")
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = WORLD
    background.inputs["Strength"].default_value = 1.0
    scene.world = world


def neutral_material():
    """Grey, rather rough."""
    material = bpy.data.materials.new("neutral")
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = BASE_COLOR
    shader.inputs["Roughness"].default_value = ROUGHNESS
    return material


def set_output(scene):
    """Square pictures with a see-through background."""
    render = scene.render
    render.resolution_x = render.resolution_y = PIXELS
    render.film_transparent = True
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = "RGBA"


def use_cycles(scene, samples):
    """On the processor: the same picture on every machine."""
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True


def use_workbench(scene):
    """One colour in a studio's light."""
    scene.render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "SINGLE"
    shading.single_color = BASE_COLOR[:3]
    shading.show_cavity = True
    scene.display.render_aa = "8"
    scene.view_settings.view_transform = "Standard"


def shoot(scene, camera, distance, height, out):
    """The four pictures; distance from the axis and height above the origin, metres."""
    for azimuth_deg in AZIMUTHS_DEG:
        angle = math.radians(azimuth_deg)
        camera.location = (distance * math.cos(angle), distance * math.sin(angle), height)
        look_at_origin(camera)
        scene.render.filepath = os.path.join(out, f"{azimuth_deg:03}.png")
        bpy.ops.render.render(write_still=True)


def draw_official(scene, meshes, out):
    """The benchmark's way, in the scene as it is: what the program set there stays."""
    bpy.context.view_layer.update()
    corners = numpy.array([mesh.matrix_world @ Vector(corner) for mesh in meshes for corner in mesh.bound_box])
    low, high = corners.min(axis=0), corners.max(axis=0)
    extent = float((high - low).max()) or 1.0
    for mesh in meshes:
        if mesh.parent is None:
            mesh.location -= Vector((low + high) / 2)
    material = neutral_material()
    for mesh in meshes:
        if mesh.data is not None and not mesh.data.materials:
            mesh.data.materials.append(material)
    camera = add_camera(scene)
    camera.data.clip_end = 25 * extent
    add_lights(scene, extent, 1.0)
    set_world(scene)
    set_output(scene)
    use_cycles(scene, 64)
    shoot(scene, camera, RADIUS * extent, HEIGHT * extent, out)


def load(folder):
    """The mesh's arrays in Blender's frame."""
    def rows(name, kind):
        return numpy.fromfile(os.path.join(folder, name), dtype=kind).reshape(-1, 3)

    def z_up(values):
        return numpy.stack((values[:, 0], -values[:, 2], values[:, 1]), axis=1)

    return z_up(rows("positions.f64", "<f8")), z_up(rows("normals.f32", "<f4")), rows("triangles.u32", "<u4")


def add_mesh(scene, positions, normals, triangles):
    """One object with all triangles; where there are no normals, flat faces."""
    mesh = bpy.data.meshes.new("mesh")
    mesh.vertices.add(len(positions))
    mesh.vertices.foreach_set("co", positions.astype("<f4").reshape(-1))
    mesh.loops.add(3 * len(triangles))
    mesh.loops.foreach_set("vertex_index", triangles.astype("<i4").reshape(-1))
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * len(triangles), 3, dtype="<i4"))
    mesh.update(calc_edges=True)
    if len(normals):
        of_corners = normals[triangles.reshape(-1)]
        missing = ~of_corners.any(axis=1)
        if missing.any():
            flat = numpy.empty(3 * len(triangles), dtype="<f4")
            mesh.polygon_normals.foreach_get("vector", flat)
            of_corners[missing] = numpy.repeat(flat.reshape(-1, 3), 3, axis=0)[missing]
        mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER").data.foreach_set("vector", of_corners.reshape(-1))
    thing = bpy.data.objects.new("mesh", mesh)
    scene.collection.objects.link(thing)
    return thing


def draw_meshmark(scene, positions, normals, triangles, out, engine):
    """Size plays no part: the mesh is scaled to extent 1 and seen from where its bounding sphere just fits."""
    used = positions[numpy.unique(triangles)]
    low, high = used.min(axis=0), used.max(axis=0)
    extent = (high - low).max() or 1.0
    middle = (low + high) / 2
    radius = float(numpy.linalg.norm((used - middle) / extent, axis=1).max())
    thing = add_mesh(scene, (positions - middle) / extent, normals, triangles)
    thing.data.materials.append(neutral_material())
    camera = add_camera(scene)
    camera.data.clip_start, camera.data.clip_end = 0.01, 25.0
    set_output(scene)
    if engine == "CYCLES":
        add_lights(scene, 1.0, MESHMARK_WATTS)
        set_world(scene)
        use_cycles(scene, 32)
        scene.cycles.seed = 0
    else:
        use_workbench(scene)
    away = radius / math.sin(HALF_VIEW) * MARGIN
    elevation = math.atan2(HEIGHT, RADIUS)
    shoot(scene, camera, away * math.cos(elevation), away * math.sin(elevation), out)
    for azimuth_deg in AZIMUTHS_DEG:
        put_background(os.path.join(out, f"{azimuth_deg:03}.png"))


def put_background(path):
    """Replaces a picture with a see-through background by one with a grey one; its bytes hold no date."""
    image = bpy.data.images.load(path)
    # As stored: without this Blender turns sRGB into linear light.
    image.colorspace_settings.name = "Non-Color"
    pixels = numpy.empty(len(image.pixels), dtype="<f4")
    image.pixels.foreach_get(pixels)
    width, height = image.size
    # Blender's first row is the lowest.
    pixels = pixels.reshape(height, width, 4)[::-1]
    alpha = pixels[:, :, 3:]
    mixed = pixels[:, :, :3] * 255 * alpha + BACKGROUND * (1 - alpha)
    bpy.data.images.remove(image)
    write_png(path, numpy.rint(mixed).astype(numpy.uint8))


def write_png(path, rows):
    """Bytes `(height, width, 3)` of RGB as a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = rows.shape
    # Each row after its filter: none.
    filtered = numpy.concatenate((numpy.zeros((height, 1), dtype=numpy.uint8), rows.reshape(height, -1)), axis=1)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)))
        file.write(chunk(b"IEND", b""))


def main():
    """Reads the job and does it."""
    job = json.loads(sys.argv[-1])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    arrays = load(job["mesh"])
    if job["views"] == "official":
        draw_official(scene, [add_mesh(scene, *arrays)], job["out"])
    else:
        engine = "CYCLES" if job["views"] == "meshmark" else "BLENDER_WORKBENCH"
        draw_meshmark(scene, *arrays, job["out"], engine)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
