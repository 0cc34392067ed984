# Runs source that it wrote itself.
source = "import bpy\nfor x in range(3):\n    bpy.ops.mesh.primitive_cube_add(location=(3 * x, 0, 0))\n"
exec(compile(source, "generated", "exec"))
