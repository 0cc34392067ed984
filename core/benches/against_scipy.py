"""Chamfer of one pair (8,192 points, four yaws, both directions, tree building included) with our code natively and
as WebAssembly, and with scipy as the benchmark's own code uses it: two new trees for each yaw. One thread each.
The three take turns, so that a busy machine disturbs all alike, and the least of each counts.

Usage: python core/benches/against_scipy.py [ROUNDS]   (numpy and scipy; Node; the wasm32-wasip1 target)"""
import json, math, os, subprocess, sys, time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np, scipy
from scipy.spatial import cKDTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
NAMES = ["bike_frame", "chair", "chair_yaw90", "gear", "lamp", "mug", "plant", "staircase", "table"]
TARGET = "wasm32-wasip1"


def built(*arguments, **environment):
    """Builds the timer and returns the path of what cargo made."""
    out = subprocess.run(["cargo", "build", "--release", "--quiet", "--package", "meshmark-core", "--example", "chamfer_time",
                          "--message-format=json", *arguments], cwd=ROOT, env={**os.environ, **environment},
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    made = [json.loads(line) for line in out.splitlines()]
    return next(name for m in made if m.get("target", {}).get("name") == "chamfer_time"
                for name in m.get("filenames", []) if m["target"]["kind"] == ["example"])


def unit(p):
    p = p - p.mean(0)
    return p / np.linalg.norm(p, axis=1).max()


def official(a, b):
    values = []
    for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        turned = b @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]], float).T
        ab, _ = cKDTree(turned).query(a)
        ba, _ = cKDTree(a).query(turned)
        values.append((ab**2).mean() + (ba**2).mean())
    return values


native = [built()]
wasm = ["node", "--no-warnings", f"{ROOT}/tests/wasi-runner.mjs",
        built("--target", TARGET, CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="-C target-feature=+simd128")]
clouds = np.fromfile(f"{ROOT}/core/goldens/chamfer/clouds_seed0.f32", "<f4").astype(float).reshape(9, 2, 8192, 3)
best = {}
for _ in range(ROUNDS):
    for kind, command in (("native", native), ("wasm", wasm)):
        for pair, ms in json.loads(subprocess.check_output([*command, "5"])).items():
            best.setdefault(pair, {}).setdefault(kind, []).append(ms)
    for pair in best:
        r, c = (NAMES.index(n) for n in pair.split("/"))
        a, b = unit(clouds[r, 0]), unit(clouds[c, 1])
        start = time.perf_counter()
        official(a, b)
        best[pair].setdefault("scipy", []).append((time.perf_counter() - start) * 1e3)

print(f"scipy {scipy.__version__}, numpy {np.__version__}, {ROUNDS} rounds; milliseconds (least), ratio to scipy")
logs = {"native": 0.0, "wasm": 0.0}
for pair, kinds in sorted(best.items()):
    ms = {kind: min(values) for kind, values in kinds.items()}
    for kind in logs:
        logs[kind] += math.log(ms[kind] / ms["scipy"]) / len(best)
    print(f"{pair:24} scipy {ms['scipy']:7.1f}   native {ms['native']:6.2f} ({ms['native'] / ms['scipy']:.3f})"
          f"   wasm {ms['wasm']:6.2f} ({ms['wasm'] / ms['scipy']:.3f})")
print(f"geometric mean of the ratios: native {math.exp(logs['native']):.3f}, wasm {math.exp(logs['wasm']):.3f}")
