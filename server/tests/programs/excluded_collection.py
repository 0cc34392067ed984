# In a collection that the view layer leaves out.
import bpy

shelf = bpy.data.collections.new("shelf")
bpy.context.scene.collection.children.link(shelf)
shelf.objects.link(bpy.data.objects.new("cube", bpy.data.meshes.new("cube")))
bpy.context.view_layer.layer_collection.children["shelf"].exclude = True
