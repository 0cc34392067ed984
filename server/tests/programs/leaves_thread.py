# A thread that is left behind would keep an interpreter alive.
import threading
import time

import bpy

threading.Thread(target=lambda: time.sleep(3600)).start()
bpy.ops.mesh.primitive_cube_add()
