# A cube that hangs on a camera, five metres up.
import bpy

camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.location.z = 5
bpy.context.collection.objects.link(camera)
bpy.ops.mesh.primitive_cube_add()
bpy.context.object.parent = camera
