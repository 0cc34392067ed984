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

    /// The area of triangle `t`, square metres: half the length of the cross product of two edges. Not finite
    /// when that is beyond `f64`.
    ///
    /// # Panics
    /// When `t` is not below `triangles.len()`.
    #[must_use]
    pub fn triangle_area(&self, t: usize) -> f64 {
        area(self.corners(t))
    }

    /// The sum of all triangles' areas in their order, square metres; each triangle counts once, however many
    /// sides of it are seen. 0 without triangles.
    #[must_use]
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).fold(0.0, |sum, t| sum + self.triangle_area(t))
    }

    /// Whether there is a surface to measure: at least one triangle whose area is above zero and finite.
    #[must_use]
    pub fn has_area(&self) -> bool {
        (0..self.triangles.len()).map(|t| self.triangle_area(t)).any(|area| area > 0.0 && area.is_finite())
    }

    /// How many pieces the surface falls into.
    ///
    /// Vertices at exactly equal positions (0 and -0 are equal) are one; triangles that share a vertex are
    /// connected; a component is a largest set of triangles connected in steps. Triangles without area count.
    /// Exporters store a vertex once for each normal that it has, so stored numbers alone would tear surfaces
    /// apart; parts that merely overlap stay apart. 0 without triangles.
    #[must_use]
    pub fn components(&self) -> usize {
        let mut order: Vec<([f64; 3], u32)> =
            (0u32..).zip(&self.positions).map(|(i, p)| (p.map(|v| v + 0.0), i)).collect();
        order.sort_unstable_by(|(a, i), (b, j)| {
            a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2])).then(i.cmp(j))
        });
        // The tree that each vertex hangs in; welded vertices hang from the first of their kind.
        let mut parent: Vec<u32> = (0u32..).take(self.positions.len()).collect();
        for pair in order.chunk_by(|(a, _), (b, _)| a == b) {
            for (_, i) in pair {
                parent[*i as usize] = pair[0].1;
            }
        }
        drop(order);
        for &[a, b, c] in &self.triangles {
            let (a, b, c) = (root(&mut parent, a), root(&mut parent, b), root(&mut parent, c));
            let least = a.min(b).min(c);
            for r in [a, b, c] {
                parent[r as usize] = least;
            }
        }
        let mut is_component = vec![false; self.positions.len()];
        for &[a, ..] in &self.triangles {
            is_component[root(&mut parent, a) as usize] = true;
        }
        is_component.into_iter().filter(|&is| is).count()
    }
}

/// The area of a triangle given by its corners.
pub(crate) fn area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let u: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
    let v: [f64; 3] = std::array::from_fn(|k| c[k] - a[k]);
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt() / 2.0
}

/// The root of `i`'s tree; halves the path on the way, so that later walks are short.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        let above = parent[parent[i as usize] as usize];
        parent[i as usize] = above;
        i = above;
    }
    i
}
