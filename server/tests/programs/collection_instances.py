# A collection that is in the scene only through two empties that instance it.
import bpy

bpy.ops.mesh.primitive_cube_add()
cube = bpy.context.object
pattern = bpy.data.collections.new("pattern")
bpy.context.collection.objects.unlink(cube)
pattern.objects.link(cube)
for x in (0, 5):
    empty = bpy.data.objects.new("place", None)
    empty.location.x = x
    empty.instance_type, empty.instance_collection = "COLLECTION", pattern
    bpy.context.scene.collection.objects.link(empty)
