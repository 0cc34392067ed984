//! Exact nearest neighbours between two clouds.
//!
//! A balanced tree of tight axis-parallel boxes with 32 points in each leaf, split at the median by count, so that
//! equal points and flat clouds need no special case. Queries come a leaf of the other cloud at a time: they lie
//! close together and share the way down. Tight boxes matter for meshes: on a flat surface the search becomes
//! two-dimensional, where splitting planes alone would visit nearly everything.
//!
//! The squared distance is `(dx² + dz²) + dy²` in `f64`, each operation rounded on its own. This order makes it the
//! same to the bit whichever cloud is turned about Y by quarter turns, so each tree is built once; and since a
//! minimum doesn't depend on order, any exact search gives the same digits. Bounds of boxes are computed with
//! the same operations, which are monotonic, so pruning needs no tolerance.

use crate::cloud::Cloud;

/// Points in a leaf, and queries in a block.
const LEAF: usize = 32;
/// Distances computed side by side; the compiler makes them vector instructions where there are any.
const LANES: usize = 8;
/// Enough for a tree over `u32::MAX` points: one pending sibling for each level.
const MAX_STACK: usize = 32;

/// A rotation about +Y by a whole number of right angles, which is exact: x' = cx + sz, z' = -sx + cz with c and s
/// 0 or ±1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Not turned.
    Deg0,
    /// z goes to x.
    Deg90,
    /// Half a turn.
    Deg180,
    /// x goes to z.
    Deg270,
}

impl Turn {
    /// All four, ascending.
    pub const ALL: [Self; 4] = [Self::Deg0, Self::Deg90, Self::Deg180, Self::Deg270];

    /// The angle.
    #[must_use]
    pub const fn degrees(self) -> u16 {
        match self {
            Self::Deg0 => 0,
            Self::Deg90 => 90,
            Self::Deg180 => 180,
            Self::Deg270 => 270,
        }
    }

    /// The turn that takes this one back.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self {
            Self::Deg0 => Self::Deg0,
            Self::Deg90 => Self::Deg270,
            Self::Deg180 => Self::Deg180,
            Self::Deg270 => Self::Deg90,
        }
    }

    /// The turned point.
    #[must_use]
    pub fn apply(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Deg0 => [x, y, z],
            Self::Deg90 => [z, y, -x],
            Self::Deg180 => [-x, y, -z],
            Self::Deg270 => [-z, y, x],
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

impl Bounds {
    fn of(points: impl Iterator<Item = [f64; 3]>) -> Self {
        points.fold(Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] }, |b, p| Self {
            low: std::array::from_fn(|k| b.low[k].min(p[k])),
            high: std::array::from_fn(|k| b.high[k].max(p[k])),
        })
    }

    fn turned(&self, turn: Turn) -> Self {
        Self::of([turn.apply(self.low), turn.apply(self.high)].into_iter())
    }

    /// At most the squared distance of any point inside to any point inside `other`.
    fn apart(&self, other: &Self) -> f64 {
        let [x, y, z] =
            std::array::from_fn(|k| (other.low[k] - self.high[k]).max(self.low[k] - other.high[k]).max(0.0));
        (x * x + z * z) + y * y
    }
}

/// Points, a coordinate at a time, so that a vector instruction takes neighbours.
#[derive(Debug, Clone)]
struct Block {
    x: [f64; LEAF],
    y: [f64; LEAF],
    z: [f64; LEAF],
}

impl Block {
    fn turned(&self, turn: Turn) -> Self {
        let mut out = self.clone();
        for i in 0..LEAF {
            [out.x[i], out.y[i], out.z[i]] = turn.apply([self.x[i], self.y[i], self.z[i]]);
        }
        out
    }

    /// The least squared distance from `q` to these points.
    fn nearest(&self, q: [f64; 3]) -> f64 {
        let mut least = [f64::INFINITY; LANES];
        for at in (0..LEAF).step_by(LANES) {
            for (lane, least) in least.iter_mut().enumerate() {
                let (dx, dy, dz) = (self.x[at + lane] - q[0], self.y[at + lane] - q[1], self.z[at + lane] - q[2]);
                let d = (dx * dx + dz * dz) + dy * dy;
                *least = if d < *least { d } else { *least };
            }
        }
        least.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a })
    }

    /// For each of these points, at most its squared distance to any point inside `bounds`.
    fn apart(&self, bounds: &Bounds) -> [f64; LEAF] {
        let gap = |v: f64, k: usize| {
            let (below, above) = (bounds.low[k] - v, v - bounds.high[k]);
            let outside = if below > above { below } else { above };
            if outside > 0.0 { outside } else { 0.0 }
        };
        std::array::from_fn(|i| {
            let (x, y, z) = (gap(self.x[i], 0), gap(self.y[i], 1), gap(self.z[i], 2));
            (x * x + z * z) + y * y
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Bounds,
    /// An inner node's left child comes right after it.
    next: Next,
}

#[derive(Debug, Clone, Copy)]
enum Next {
    Leaf(u32),
    Right(u32),
}

/// A cloud, ordered for searching.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Every leaf is full; the last one is filled up with copies of its last point, which change no minimum.
    leaves: Vec<Block>,
    leaf_bounds: Vec<Bounds>,
    /// `(n)`: the place in the cloud of each point in the leaves.
    order: Vec<u32>,
}

impl Tree {
    /// Orders a cloud.
    ///
    /// # Panics
    /// When the cloud has more than `u32::MAX` points, 96 GiB of them.
    #[must_use]
    pub fn new(cloud: &Cloud) -> Self {
        let points = cloud.points();
        let count = u32::try_from(points.len()).expect("a cloud of at most u32::MAX points");
        let leaves = points.len().div_ceil(LEAF);
        let mut tree = Self {
            nodes: Vec::with_capacity(2 * leaves),
            leaves: Vec::with_capacity(leaves),
            leaf_bounds: Vec::with_capacity(leaves),
            order: Vec::new(),
        };
        let mut order: Vec<u32> = (0..count).collect();
        tree.build(points, &mut order);
        tree.order = order;
        tree
    }

    fn build(&mut self, points: &[[f64; 3]], order: &mut [u32]) {
        let bounds = Bounds::of(order.iter().map(|&i| points[i as usize]));
        let at = self.nodes.len();
        if order.len() <= LEAF {
            self.nodes.push(Node { bounds, next: Next::Leaf(self.leaves.len() as u32) });
            let coordinate = |k: usize| std::array::from_fn(|i| points[order[i.min(order.len() - 1)] as usize][k]);
            self.leaves.push(Block { x: coordinate(0), y: coordinate(1), z: coordinate(2) });
            self.leaf_bounds.push(bounds);
            return;
        }
        let side = |k: usize| bounds.high[k] - bounds.low[k];
        let longest = (1..3).fold(0, |best, k| if side(k) > side(best) { k } else { best });
        // Every leaf but the last is full.
        let half = order.len().div_ceil(LEAF) / 2 * LEAF;
        order.select_nth_unstable_by(half, |&a, &b| {
            points[a as usize][longest].total_cmp(&points[b as usize][longest]).then(a.cmp(&b))
        });
        let (left, right) = order.split_at_mut(half);
        self.nodes.push(Node { bounds, next: Next::Right(0) });
        self.build(points, left);
        self.nodes[at].next = Next::Right(self.nodes.len() as u32);
        self.build(points, right);
    }

    /// The mean over the turned `queries` of the squared distance to the nearest of these points, summed in the
    /// order of the queries' own cloud.
    ///
    /// Oracle: brute force over all pairs, in `tests/nearest.rs`; scipy's `cKDTree` through the goldens.
    #[must_use]
    pub fn mean_squared_distance(&self, queries: &Self, turn: Turn) -> f64 {
        let distances = self.squared_distances(queries, turn);
        distances.iter().fold(0.0, |sum, d| sum + d) / distances.len() as f64
    }

    /// For each of the turned `queries`, in the order of their own cloud, the squared distance to the nearest of
    /// these points.
    #[must_use]
    pub fn squared_distances(&self, queries: &Self, turn: Turn) -> Vec<f64> {
        let mut out = vec![0.0; queries.order.len()];
        for ((block, bounds), members) in
            queries.leaves.iter().zip(&queries.leaf_bounds).zip(queries.order.chunks(LEAF))
        {
            let best = self.search(&block.turned(turn), &bounds.turned(turn));
            for (&member, best) in members.iter().zip(best) {
                out[member as usize] = best;
            }
        }
        out
    }

    /// The least squared distance of each query of a block.
    fn search(&self, block: &Block, bounds: &Bounds) -> [f64; LEAF] {
        let mut best = [f64::INFINITY; LEAF];
        let mut worst = f64::INFINITY;
        let mut stack = [(0.0, 0usize); MAX_STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (bound, mut at) = stack[depth];
            if bound >= worst {
                continue;
            }
            // Down to the nearer child, leaving the other for later.
            let leaf = loop {
                match self.nodes[at].next {
                    Next::Leaf(leaf) => break leaf as usize,
                    Next::Right(right) => {
                        let (mut near, mut far) = (at + 1, right as usize);
                        let (mut near_bound, mut far_bound) =
                            (self.nodes[near].bounds.apart(bounds), self.nodes[far].bounds.apart(bounds));
                        if far_bound < near_bound {
                            (near, far, near_bound, far_bound) = (far, near, far_bound, near_bound);
                        }
                        if far_bound < worst {
                            stack[depth] = (far_bound, far);
                            depth += 1;
                        }
                        if near_bound >= worst {
                            break usize::MAX;
                        }
                        at = near;
                    }
                }
            };
            let Some(points) = self.leaves.get(leaf) else { continue };
            let apart = block.apart(&self.leaf_bounds[leaf]);
            let mut changed = false;
            for i in 0..LEAF {
                if apart[i] < best[i] {
                    let found = points.nearest([block.x[i], block.y[i], block.z[i]]);
                    if found < best[i] {
                        best[i] = found;
                        changed = true;
                    }
                }
            }
            if changed {
                worst = best.into_iter().fold(0.0, |a, b| if b > a { b } else { a });
            }
        }
        best
    }
}
