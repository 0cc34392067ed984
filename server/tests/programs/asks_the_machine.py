# Libraries ask what processor this is, by starting other programs.
import platform
import subprocess

import bpy

subprocess.run(["lscpu"], capture_output=True, check=False)
platform.processor()
bpy.ops.mesh.primitive_cube_add()
