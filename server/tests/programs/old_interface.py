# What Blender 4 had and Blender 5 hasn't.
import bpy

bpy.ops.mesh.primitive_cube_add()
material = bpy.data.materials.new("shine")
material.node_tree.nodes["Principled BSDF"].inputs["Specular"].default_value = 0.5
