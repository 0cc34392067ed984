# An animation, left at frame 100: what counts is what is seen then.
import bpy

bpy.ops.mesh.primitive_cube_add()
cube = bpy.context.object
for frame, height in ((1, 0.0), (100, 9.0)):
    cube.location.z = height
    cube.keyframe_insert("location", frame=frame)
bpy.context.scene.frame_set(100)
