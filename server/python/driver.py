"""Runs one program in Blender and exports what a person would see of its scene. It measures nothing.

Called as `python driver.py JOB` or `blender --background --factory-startup --python driver.py -- JOB`, where JOB is
JSON: `{"phase", "entry", "program", "out"}`. Phases:

- `run`: the program once; the visible objects of the active scene as meshes, into `out/mesh.glb`
- `official-render`: as the benchmark's code; four pictures in the program's own scene, into `out`
- `official-export`: as the benchmark's code; its export of the program's scene, into `out/mesh.glb`

The program shares this process and can forge all of this, so whoever started us believes the exit state, the limits and
the exported file alone. `out/report.json` only explains a failure.

Frames: Blender's, Z up, metres; the exported file is glTF's, Y up.
"""

# What the program could replace is taken hold of here, before it runs.
import importlib.util
import json
import os
import runpy
import sys
import time
import traceback

import bpy
import numpy

BEGINS = "meshmark: the program begins"

# Exit codes: the contract with the runner. Others are the program's own.
EXPORTED = 40
EXCEPTION = 41
NOTHING = 42
NOT_EXPORTED = 43
QUIT = 44

MESSAGE_CHARS = 2_000
TRACEBACK_CHARS = 12_000
NAMES_IN_WARNING = 5

# Types of objects that show a surface, all of which Blender turns into meshes when it evaluates them.
SURFACES = {"MESH", "CURVE", "SURFACE", "FONT", "META", "CURVES"}
# Those of them that come with a mesh beside them.
CONVERTED = SURFACES - {"MESH"}
# Types that show something else; a file of triangles can't hold it.
NO_SURFACE = {"POINTCLOUD": "point cloud", "VOLUME": "volume", "GREASEPENCIL": "grease pencil drawing"}

_exit = os._exit
_flush = (sys.stdout.flush, sys.stderr.flush)
_ops = bpy.ops


def sibling(name):
    """A file beside this one, out of the way of what the program may import by the same name."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"meshmark.{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GLB = sibling("glb")


def leave(code):
    """Ends this process now, whatever threads the program left running."""
    for flush in _flush:
        try:
            flush()
        except Exception:
            pass
    _exit(code)


def clear_scene():
    """An empty scene, cleared as the benchmark's code does it."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete(use_global=False)
    for kind in ("meshes", "curves", "cameras", "lights", "materials", "node_groups"):
        data = getattr(bpy.data, kind)
        for block in list(data):
            data.remove(block)
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)


def catch_quit():
    """As a module, Blender's `quit_blender` returns and the program would go on; the binary ends. Both shall end."""
    window_manager = _ops.wm
    window_manager.quit_blender = lambda *_args, **_settings: leave(QUIT)
    # The name is looked up anew at each use, unless it is there.
    _ops.wm = window_manager


def give_back_operators(names):
    """Undoes what the program did to the names that exporters use."""
    bpy.ops = _ops
    sys.modules["bpy.ops"] = _ops
    for name in set(vars(_ops)) - set(names):
        delattr(_ops, name)
    vars(_ops).update(names)


def bounded(text, limit):
    """The text, or its beginning and end."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def text_of(value):
    """`str(value)`, of a value whose own `str` may fail."""
    try:
        return str(value)
    except BaseException as error:
        return f"(its message can't be shown: {type(error).__name__})"


class Program:
    """The program's folder and entry file."""

    def __init__(self, folder, entry):
        self.folder = folder.rstrip("/")
        self.path = f"{self.folder}/{entry}"

    def own(self, file):
        """A file's path relative to the folder; None for one of somebody else's."""
        prefix = self.folder + "/"
        return file[len(prefix):] if file.startswith(prefix) else None

    def run(self):
        """Runs it as `__main__`. The exception that left it, or None."""
        sys.argv = [self.path]
        # In place of this file's folder.
        sys.path[0] = os.path.dirname(self.path)
        try:
            runpy.run_path(self.path, run_name="__main__")
        except SystemExit as error:
            return None if error.code in (None, 0) else error
        except BaseException as error:
            return error
        return None

    def explain(self, error):
        """The exception as the report has it."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [k for k, frame in enumerate(frames) if self.own(frame.filename) is not None]
        line = file = None
        if ours:
            last = frames[ours[-1]]
            line, file = last.lineno, self.own(last.filename)
        if isinstance(error, SyntaxError) and self.own(error.filename or "") is not None:
            line, file = error.lineno, self.own(error.filename)
        try:
            # Of what comes before the program's first frame nobody learns anything.
            skipped = ours[0] if ours else len(frames)
            shown = traceback.TracebackException.from_exception(error)
            shown.stack = traceback.StackSummary.from_list(frames[skipped:])
            text = "".join(shown.format()).replace(self.folder + "/", "")
        except BaseException:
            text = ""
        message = text_of(error)
        if isinstance(error, SystemExit):
            message = f"exit status {message}"
        return {
            "type": type(error).__name__,
            "message": bounded(message, MESSAGE_CHARS),
            "line": line,
            "file": file,
            "traceback": bounded(text, TRACEBACK_CHARS),
        }


def active():
    """The scene and view layer in front of a person."""
    window = bpy.context.window
    if window is not None:
        return window.scene, window.view_layer
    return bpy.context.scene, bpy.context.view_layer


def leave_edit_mode(view_layer):
    """What is being edited is written back, so that it is evaluated."""
    for thing in view_layer.objects:
        if thing.mode == "OBJECT":
            continue
        try:
            view_layer.objects.active = thing
            bpy.ops.object.mode_set(mode="OBJECT")
        except RuntimeError:
            thing.update_from_editmode()


def names_of(things):
    """A few names, and how many more."""
    shown = ", ".join(things[:NAMES_IN_WARNING])
    more = len(things) - NAMES_IN_WARNING
    return f"{shown} and {more} more" if more > 0 else shown


def left_out(scene, view_layer):
    """Warnings about what a person would not see, or what is no surface."""
    hidden = [thing.name for thing in scene.objects if thing.type in SURFACES and not thing.visible_get(view_layer=view_layer)]
    elsewhere = [
        thing.name
        for other in bpy.data.scenes
        if other != scene
        for thing in other.objects
        if thing.type in SURFACES and thing.name not in scene.objects
    ]
    bodiless = [thing.name for thing in view_layer.objects if thing.type in NO_SURFACE]
    levels = [
        thing.name
        for thing in view_layer.objects
        for modifier in thing.modifiers
        if modifier.type in {"SUBSURF", "MULTIRES"} and modifier.show_viewport and modifier.levels != modifier.render_levels
    ]
    warnings = []
    if hidden:
        warnings.append(f"hidden, so left out: {names_of(hidden)}")
    if elsewhere:
        warnings.append(f"in another scene, so left out: {names_of(elsewhere)}")
    if bodiless:
        warnings.append(f"no surface, so left out: {names_of(bodiless)}")
    if levels:
        warnings.append(f"subdivided as in the viewport, not as in a final render: {names_of(levels)}")
    return warnings


def collect(view_layer, warnings):
    """Every visible surface of the scene, as triangles.

    Modifiers and geometry nodes are applied at viewport level, instances made real. Objects that show the same mesh
    share it in the file.
    """
    glb = GLB.Glb()
    view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    numbers = {}
    realised = not_finite = 0
    for shown in graph.object_instances:
        thing = shown.object
        # Curves, text and metaballs come a second time, as what they look like.
        if thing.type != "MESH" or not shown.show_self:
            continue
        matrix = shown.matrix_world.copy()
        key = thing.data.as_pointer()
        if key not in numbers:
            mesh = thing.to_mesh(preserve_all_data_layers=False, depsgraph=graph)
            positions, normals, triangles, dropped = GLB.triangles_of(mesh)
            thing.to_mesh_clear()
            not_finite += dropped
            numbers[key] = glb.add_mesh(positions, normals, triangles) if len(triangles) else None
        if numbers[key] is None:
            continue
        if not numpy.isfinite(matrix).all():
            warnings.append(f"its place is not finite, so left out: {thing.name}")
            continue
        glb.add_node(thing.name, numbers[key], matrix)
        parent = shown.parent
        realised += parent is not None and (parent.type not in CONVERTED or matrix != parent.matrix_world)
    if not_finite:
        warnings.append(f"triangles with a corner that is not finite, so left out: {not_finite}")
    if realised:
        warnings.append(f"instances made real: {realised}")
    return glb


def run(job, program, report):
    """Phase `run`."""
    operators = dict(vars(_ops))
    catch_quit()
    error = program.run()
    mark_end(job)
    give_back_operators(operators)
    if error is not None:
        report["exception"] = program.explain(error)
        return EXCEPTION
    scene, view_layer = active()
    report["mesh_objects"] = sum(thing.type == "MESH" for thing in scene.objects)
    try:
        report["warnings"] += left_out(scene, view_layer)
        leave_edit_mode(view_layer)
        glb = collect(view_layer, report["warnings"])
        if not glb.nodes:
            return NOTHING
        path = os.path.join(job["out"], "mesh.glb")
        remove(path)
        glb.write(path)
    except BaseException:
        report["failure"] = bounded(traceback.format_exc(), TRACEBACK_CHARS)
        return NOT_EXPORTED
    return EXPORTED


def remove(path):
    """What the program may have left there is not ours."""
    if os.path.lexists(path):
        os.remove(path)


def official_meshes():
    """What the benchmark's code counts."""
    return [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]


def official(job, program, report, finish):
    """The benchmark's way up to its mesh objects; `finish` draws or exports them."""
    catch_quit()
    error = program.run()
    if error is not None:
        report["exception"] = program.explain(error)
        return EXCEPTION
    meshes = official_meshes()
    report["mesh_objects"] = len(meshes)
    if not meshes:
        return NOTHING
    try:
        finish(meshes)
    except BaseException:
        report["failure"] = bounded(traceback.format_exc(), TRACEBACK_CHARS)
        return NOT_EXPORTED
    return EXPORTED


def official_render(job, program, report):
    """Phase `official-render`."""

    def finish(meshes):
        scene = bpy.context.scene
        for thing in list(scene.objects):
            if thing.type in {"CAMERA", "LIGHT"}:
                bpy.data.objects.remove(thing, do_unlink=True)
        sibling("render").draw_official(scene, official_meshes(), job["out"])

    return official(job, program, report, finish)


def official_export(job, program, report):
    """Phase `official-export`."""

    def finish(meshes):
        bpy.ops.object.select_all(action="DESELECT")
        for thing in meshes:
            thing.select_set(True)
            if thing.data is not None:
                thing.data.materials.clear()
        bpy.ops.export_scene.gltf(
            filepath=os.path.join(job["out"], "mesh.glb"),
            export_format="GLB",
            use_selection=True,
            export_apply=True,
            export_yup=True,
            export_materials="NONE",
        )

    return official(job, program, report, finish)


PHASES = {"run": run, "official-render": official_render, "official-export": official_export}


def mark_end(job):
    """Tells the runner that the program is over: what follows has time of its own."""
    with open(os.path.join(job["out"], "exporting"), "w"):
        pass


def main():
    """Reads the job, does it, writes the report, ends."""
    job = json.loads(sys.argv[-1])
    clear_scene()
    report = {"exception": None, "mesh_objects": None, "warnings": [], "failure": None}
    program = Program(job["program"], job["entry"])
    print(BEGINS, file=sys.stderr, flush=True)
    begun = time.monotonic()
    code = PHASES[job["phase"]](job, program, report)
    report["seconds"] = time.monotonic() - begun
    path = os.path.join(job["out"], "report.json")
    try:
        remove(path)
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            json.dump(report, file)
    except BaseException as error:
        print(f"meshmark: the report could not be written: {text_of(error)}", file=sys.stderr)
    leave(code)


main()
