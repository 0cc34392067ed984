"""Goldens of chamfer/upright@1, from the definition, with no mesh library:
a minimal GLB reader (numpy), quasi-random surface points, scipy's cKDTree. Usage: python make_upright.py > upright.json"""
import glob, json, os, struct
import numpy as np, scipy
from scipy.spatial import cKDTree

HERE = os.path.dirname(os.path.abspath(__file__))
N = 8192
PLASTIC = 1.32471795724474602596
YAWS_DEG = (0, 90, 180, 270)


def local_matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    x, y, z, w = node.get("rotation", [0, 0, 0, 1])
    r = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                  [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                  [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    m = np.eye(4)
    m[:3, :3] = r * np.array(node.get("scale", [1, 1, 1]))
    m[:3, 3] = node.get("translation", [0, 0, 0])
    return m


def triangles(path):
    """(T, 3, 3) f64, metres, glTF frame (Y up), default scene: depth first, children and primitives in file order."""
    data = open(path, "rb").read()
    n = struct.unpack("<I", data[12:16])[0]
    doc, blob = json.loads(data[20:20 + n]), data[20 + n + 8:]

    def accessor(i):
        a = doc["accessors"][i]
        v = doc["bufferViews"][a["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4", 5123: "<u2", 5121: "u1"}[a["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3}[a["type"]]
        return np.frombuffer(blob, kind, a["count"] * width, v.get("byteOffset", 0) + a.get("byteOffset", 0)).reshape(-1, width)

    out = []

    def walk(i, parent):
        node = doc["nodes"][i]
        world = parent @ local_matrix(node)
        if "mesh" in node:
            for prim in doc["meshes"][node["mesh"]]["primitives"]:
                v = accessor(prim["attributes"]["POSITION"]).astype(float) @ world[:3, :3].T + world[:3, 3]
                out.append(v[accessor(prim["indices"]).reshape(-1, 3)])
        for child in node.get("children", []):
            walk(child, world)

    for root in doc["scenes"][doc.get("scene", 0)]["nodes"]:
        walk(root, np.eye(4))
    return np.concatenate(out)


def canonical(tri):
    """Vertices of each triangle in lexicographic order, triangles in lexicographic order of their nine coordinates:
    the sample depends on the surface's triangles, not on how a file orders them. Compared are whole numbers of a grid of
    PLASTIC * 1e-6 of the extent (no coordinate of a modelled shape lies on its boundaries), so that the last bits of a
    transform don't matter; equal keys keep the file's order."""
    low, high = tri.reshape(-1, 3).min(0), tri.reshape(-1, 3).max(0)
    step = (high - low).max() * 1e-6 * PLASTIC
    key = np.floor((tri - low) / step + 0.5).astype(np.int64)
    inner = np.stack([np.lexsort((k[:, 2], k[:, 1], k[:, 0])) for k in key])
    tri = np.take_along_axis(tri, inner[:, :, None], 1)
    flat = np.take_along_axis(key, inner[:, :, None], 1).reshape(len(tri), 9)
    return tri[np.lexsort(tuple(flat[:, k] for k in range(8, -1, -1)))]


def split_longest(tri):
    """Each triangle cut in two at the midpoint of its longest edge (first of v1v2, v0v2, v0v1 when equal): same surface."""
    out = []
    for a, b, c in tri:
        k = int(np.argmax([((b - c)**2).sum(), ((a - c)**2).sum(), ((a - b)**2).sum()]))
        m = [(b + c) / 2, (a + c) / 2, (a + b) / 2][k]
        out += [[[a, b, m], [a, m, c]], [[a, b, m], [m, b, c]], [[a, m, c], [m, b, c]]][k]
    return np.array(out)


def surface_points(tri, n=N):
    area = np.linalg.norm(np.cross(tri[:, 1] - tri[:, 0], tri[:, 2] - tri[:, 0]), axis=1) / 2
    cum = np.cumsum(area)
    i = np.arange(n)
    face = np.minimum(np.searchsorted(cum, (i + 0.5) / n * cum[-1], side="right"), len(cum) - 1)
    u1, u2 = (0.5 + i / PLASTIC) % 1, (0.5 + i / PLASTIC**2) % 1
    s = np.sqrt(u1)
    t = tri[face]
    return (1 - s)[:, None] * t[:, 0] + (s * (1 - u2))[:, None] * t[:, 1] + (s * u2)[:, None] * t[:, 2]


def normalised(p):
    p = p - p.mean(0)
    r = np.linalg.norm(p, axis=1).max()
    return p if r < 1e-9 else p / r


def chamfer(a, b):
    ab, _ = cKDTree(b).query(a)
    ba, _ = cKDTree(a).query(b)
    return float((ab**2).mean() + (ba**2).mean())


def turned(p, deg):
    c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][deg // 90]
    x, y, z = p.T
    return np.stack([c * x + s * z, y, -s * x + c * z], 1)


names = sorted(os.path.basename(p)[:-4] for p in glob.glob(HERE + "/*.glb"))
tri = {n: triangles(f"{HERE}/{n}.glb") for n in names}
tri = {n: canonical(t) for n, t in tri.items()}
cloud = {n: normalised(surface_points(tri[n])) for n in names}
pairs = []
for ref in names:
    for cand in names:
        v = [chamfer(cloud[ref], turned(cloud[cand], d)) for d in YAWS_DEG]
        k = int(np.argmin(v))
        pairs.append({"reference": ref, "candidate": cand, "per_yaw": v, "value": v[k], "yaw_deg": YAWS_DEG[k],
                      "penalty": float((cloud[ref]**2).sum(1).mean() + (cloud[ref]**2).sum(1).min())})
floor = [{"mesh": n, "self_distance_with_split_triangles":
          chamfer(cloud[n], normalised(surface_points(canonical(split_longest(tri[n])))))} for n in names]
for n in names:  # the order in the file must not matter
    other = tri[n][np.random.default_rng(0).permutation(len(tri[n]))][:, [2, 0, 1]]
    assert (surface_points(canonical(other)) == surface_points(tri[n])).all(), n
print(json.dumps({"protocol": "chamfer/upright@1", "samples": N, "yaws_deg": YAWS_DEG, "scipy": scipy.__version__,
                  "numpy": np.__version__, "pairs": pairs, "noise_floor": floor,
                  "first_points": {n: surface_points(tri[n])[:3].tolist() for n in names}}, indent=1))
