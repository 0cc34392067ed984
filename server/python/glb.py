"""Triangles of Blender's meshes, and the binary glTF files that hold them.

Frames: arrays that come in are Blender's, Z up; the file is glTF's, Y up. Metres in both.
"""

import json
import struct

import numpy

# Blender's (x, y, z) is glTF's (x, z, -y).
Y_UP = numpy.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=numpy.float64)


class Glb:
    """A binary glTF file under construction: triangles with normals, and nodes that place them.

    Written here and not by Blender's exporter, because that one takes minutes for ten thousands of objects, loses shears,
    writes other bytes each time, and calls operators that a program may have replaced.
    """

    def __init__(self):
        self.views, self.accessors, self.meshes, self.nodes = [], [], [], []
        self.chunks, self.length = [], 0

    def add_mesh(self, positions, normals, triangles):
        """Float32 `(n, 3)` in Blender's frame, float32 `(n, 3)`, uint32 `(m, 3)`; the mesh's number."""
        positions, normals = y_up(positions), y_up(normals)
        attributes = {
            "POSITION": self._accessor(positions, "VEC3", 5126, 34962, bounds=True),
            "NORMAL": self._accessor(normals, "VEC3", 5126, 34962),
        }
        indices = self._accessor(triangles.astype("<u4").reshape(-1), "SCALAR", 5125, 34963)
        self.meshes.append({"primitives": [{"attributes": attributes, "indices": indices}]})
        return len(self.meshes) - 1

    def add_node(self, name, mesh, matrix):
        """Places a mesh; the matrix is in Blender's frame."""
        placed = Y_UP @ numpy.array(matrix, dtype=numpy.float64) @ Y_UP.T
        node = {"name": name, "mesh": mesh}
        if not numpy.array_equal(placed, numpy.identity(4)):
            # Column by column.
            node["matrix"] = placed.T.reshape(-1).tolist()
        self.nodes.append(node)

    def _accessor(self, array, kind, component, target, bounds=False):
        data = array.tobytes()
        self.views.append({"buffer": 0, "byteOffset": self.length, "byteLength": len(data), "target": target})
        self.chunks.append(data)
        self.length += len(data)
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(array), "type": kind}
        if bounds:
            accessor["min"] = array.min(axis=0).tolist()
            accessor["max"] = array.max(axis=0).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def write(self, path):
        """Every array is of whole words, so that nothing needs padding but the text."""
        document = {
            "asset": {"version": "2.0", "generator": "meshmark"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(self.nodes)))}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": self.length}],
        }
        text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")
        text += b" " * (-len(text) % 4)
        with open(path, "xb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + self.length))
            file.write(struct.pack("<I4s", len(text), b"JSON"))
            file.write(text)
            file.write(struct.pack("<I4s", self.length, b"BIN\0"))
            for chunk in self.chunks:
                file.write(chunk)


def y_up(rows):
    """Rows of Blender's frame in glTF's, as little-endian float32."""
    turned = numpy.empty((len(rows), 3), dtype="<f4")
    turned[:, 0], turned[:, 1], turned[:, 2] = rows[:, 0], rows[:, 2], -rows[:, 1]
    return turned


def read(collection, attribute, kind, width):
    """An attribute of all elements as an array `(n, width)`."""
    values = numpy.empty(len(collection) * width, dtype=kind)
    collection.foreach_get(attribute, values)
    return values.reshape(-1, width)


def triangles_of(mesh):
    """Positions and normals `(n, 3)`, triangles `(m, 3)`, and how many triangles were left out as not finite.

    A vertex is written once for each normal that its corners have.
    """
    mesh.calc_loop_triangles()
    corners = read(mesh.loop_triangles, "loops", numpy.int32, 3)
    position = read(mesh.vertices, "co", numpy.float32, 3)
    vertex = read(mesh.loops, "vertex_index", numpy.int32, 1)[:, 0]
    normal = read(mesh.corner_normals, "vector", numpy.float32, 3)
    finite = numpy.isfinite(position).all(axis=1)[vertex[corners]].all(axis=1)
    dropped = int(len(corners) - finite.sum())
    corners = corners[finite].reshape(-1)
    vertex, normal = vertex[corners], numpy.nan_to_num(normal[corners])

    # Equal up to a thousandth is equal: what a mesh with smooth shading computes is only nearly so.
    rounded = numpy.rint(normal * 1000).astype(numpy.int64) + 1000
    key = (rounded[:, 0] * 2001 + rounded[:, 1]) * 2001 + rounded[:, 2]
    order = numpy.lexsort((key, vertex))
    sorted_vertex, sorted_key = vertex[order], key[order]
    starts = numpy.ones(len(order), dtype=bool)
    starts[1:] = (sorted_vertex[1:] != sorted_vertex[:-1]) | (sorted_key[1:] != sorted_key[:-1])
    index = numpy.empty(len(order), dtype=numpy.uint32)
    index[order] = numpy.cumsum(starts) - 1
    first = order[starts]
    return position[vertex[first]], unit(normal[first]), index.reshape(-1, 3), dropped


def unit(rows):
    """Rows of length 1; glTF allows no others."""
    length = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return numpy.where(length > 1e-6, rows / numpy.maximum(length, 1e-6), numpy.float32([0, 0, 1])).astype(numpy.float32)
