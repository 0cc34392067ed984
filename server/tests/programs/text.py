# Letters.
import bpy

bpy.ops.object.text_add()
bpy.context.object.data.body, bpy.context.object.data.extrude = "Meshmark", 0.1
