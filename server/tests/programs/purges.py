# Collections are emptied and what nobody uses is purged.
import bpy

for collection in list(bpy.data.collections):
    bpy.data.collections.remove(collection)
made = bpy.data.collections.new("made")
bpy.context.scene.collection.children.link(made)
bpy.ops.mesh.primitive_cube_add()
cube = bpy.context.object
bpy.context.scene.collection.objects.unlink(cube)
made.objects.link(cube)
bpy.ops.outliner.orphans_purge(do_recursive=True)
