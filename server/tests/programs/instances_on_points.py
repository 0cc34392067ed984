# Geometry nodes that put a cube on each corner of a grid and never make them real.
import bpy

tree = bpy.data.node_groups.new("cubes", "GeometryNodeTree")
tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
grid, cube = tree.nodes.new("GeometryNodeMeshGrid"), tree.nodes.new("GeometryNodeMeshCube")
grid.inputs["Vertices X"].default_value, grid.inputs["Vertices Y"].default_value = 3, 2
cube.inputs["Size"].default_value = (0.1, 0.1, 0.1)
place, end = tree.nodes.new("GeometryNodeInstanceOnPoints"), tree.nodes.new("NodeGroupOutput")
tree.links.new(grid.outputs["Mesh"], place.inputs["Points"])
tree.links.new(cube.outputs["Mesh"], place.inputs["Instance"])
tree.links.new(place.outputs["Instances"], end.inputs[0])
bpy.ops.mesh.primitive_plane_add()
bpy.context.object.modifiers.new("cubes", "NODES").node_group = tree
