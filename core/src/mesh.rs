//! A mesh as it is measured and drawn: triangles of the default scene in world coordinates.

/// Triangles in the glTF frame (Y up, metres), node transforms applied, instances repeated.
///
/// Invariants, kept by [`crate::mesh::Mesh`]'s makers: every index in `triangles` is below `positions.len()`;
/// every coordinate is finite; `normals` and `colors`, when there, are as long as `positions`; `parts` cover
/// `triangles` in order without gaps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// `(n, 3)` metres, Y up.
    pub positions: Vec<[f64; 3]>,
    /// `(n, 3)` unit normals in world coordinates; zero where a part of the file has none.
    pub normals: Option<Vec<[f32; 3]>>,
    /// `(n, 4)` linear RGBA; white where a part of the file has none.
    pub colors: Option<Vec<[f32; 4]>>,
    /// `(t, 3)` vertex indices, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// One for each primitive of each mesh-bearing node, in file order, depth first.
    pub parts: Vec<Part>,
    /// How many nodes of the default scene carry a mesh.
    pub nodes_with_mesh: usize,
}

/// A run of triangles that one primitive of one node brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The node's name, else its mesh's, else `node N`.
    pub name: String,
    /// Which of `triangles`.
    pub triangles: std::ops::Range<usize>,
}

impl Mesh {
    /// The corner positions of triangle `t`.
    ///
    /// # Panics
    /// When `t` is not below `triangles.len()`.
    #[must_use]
    pub fn corners(&self, t: usize) -> [[f64; 3]; 3] {
        self.triangles[t].map(|i| self.positions[i as usize])
    }

    /// `[minimum, maximum]` over all vertices that a triangle uses, metres; `None` without triangles.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let mut used = self.triangles.iter().flatten().map(|&i| self.positions[i as usize]);
        let first = used.next()?;
        Some(used.fold([first, first], |[lo, hi], p| {
            [std::array::from_fn(|k| lo[k].min(p[k])), std::array::from_fn(|k| hi[k].max(p[k]))]
        }))
    }
}
