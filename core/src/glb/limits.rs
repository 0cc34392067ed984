//! How much of a file is read.

/// Bounds on what one file may cost. Generous: programs of the benchmark make meshes of four million triangles
/// in files of 270 MB and tens of thousands of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The whole file, bytes.
    pub max_bytes: u64,
    /// The JSON chunk, bytes; parsing takes a multiple of it in memory.
    pub max_json_bytes: u64,
    /// Nodes in the document.
    pub max_nodes: u64,
    /// Nodes from a scene's root down to the deepest node.
    pub max_depth: u64,
    /// Vertices after instances are repeated.
    pub max_vertices: u64,
    /// Triangles after instances are repeated.
    pub max_triangles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 30,
            max_json_bytes: 64 << 20,
            max_nodes: 1 << 18,
            max_depth: 256,
            max_vertices: 40_000_000,
            max_triangles: 20_000_000,
        }
    }
}
