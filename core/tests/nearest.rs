//! Nearest neighbours against brute force, to the bit, on clouds of every kind.

use meshmark_core::{
    chamfer::per_yaw,
    cloud::Cloud,
    nearest::{Tree, Turn},
};
use proptest::{collection::vec, prelude::*};

fn brute_force(points: &[[f64; 3]], queries: &[[f64; 3]], turn: Turn) -> Vec<f64> {
    let distance = |p: &[f64; 3], q: [f64; 3]| {
        let [x, y, z] = std::array::from_fn(|k| p[k] - q[k]);
        (x * x + z * z) + y * y
    };
    queries.iter().map(|&q| points.iter().map(|p| distance(p, turn.apply(q))).fold(f64::INFINITY, f64::min)).collect()
}

/// Few different coordinates give many equal points, lines and planes; wide ones give general position.
fn points(most: usize) -> impl Strategy<Value = Vec<[f64; 3]>> {
    let coordinate = prop_oneof![Just(0.0), Just(-0.0), Just(0.25), -1.0..1.0, -1e6..1e6];
    let free = vec([coordinate.clone(), coordinate.clone(), coordinate], 1..most);
    let plane = vec((-1.0..1.0, -1.0..1.0).prop_map(|(x, z)| [x, 0.5, z]), 1..most);
    let grid = vec((0..4i32, 0..4i32, 0..2i32).prop_map(|(x, y, z)| [x, y, z].map(f64::from)), 1..most);
    let same = (1..most).prop_map(|n| vec![[0.1, 0.2, 0.3]; n]);
    prop_oneof![free, plane, grid, same]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distances_are_those_of_brute_force_to_the_bit(a in points(300), b in points(300)) {
        let (tree, queries) = (Tree::new(&Cloud::new(a.clone()).unwrap()), Tree::new(&Cloud::new(b.clone()).unwrap()));
        for turn in Turn::ALL {
            prop_assert_eq!(tree.squared_distances(&queries, turn), brute_force(&a, &b, turn));
        }
    }

    /// d(a, b turned) is d(b, a turned back), and turning the candidate only shifts the four values.
    #[test]
    fn chamfer_is_symmetric_and_knows_only_relative_yaw(a in points(100), b in points(100)) {
        let cloud = |points: Vec<[f64; 3]>| Cloud::new(points).unwrap();
        let turned = cloud(b.iter().map(|&p| Turn::Deg90.apply(p)).collect());
        let (a, b) = (cloud(a), cloud(b));
        let (there, back, shifted) = (per_yaw(&a, &b), per_yaw(&b, &a), per_yaw(&a, &turned));
        for k in 0..4 {
            prop_assert_eq!(there[k].to_bits(), back[(4 - k) % 4].to_bits());
            prop_assert_eq!(there[(k + 1) % 4].to_bits(), shifted[k].to_bits());
        }
    }

    /// Powers of two scale without rounding.
    #[test]
    fn distances_grow_with_the_square_of_size(a in points(100), b in points(100)) {
        let scaled = |points: &[[f64; 3]]| Cloud::new(points.iter().map(|p| p.map(|v| 4.0 * v)).collect()).unwrap();
        let small = per_yaw(&Cloud::new(a.clone()).unwrap(), &Cloud::new(b.clone()).unwrap());
        prop_assert_eq!(per_yaw(&scaled(&a), &scaled(&b)), small.map(|v| 16.0 * v));
    }

    #[test]
    fn turns_undo_each_other(x in -1e3..1e3, y in -1e3..1e3, z in -1e3..1e3) {
        for turn in Turn::ALL {
            prop_assert_eq!(turn.inverse().apply(turn.apply([x, y, z])), [x, y, z]);
        }
    }
}

#[test]
fn clouds_are_never_empty_nor_infinite() {
    assert!(Cloud::new(vec![]).is_err());
    assert!(Cloud::new(vec![[0.0; 3], [0.0, f64::NAN, 0.0]]).is_err());
    assert!(Cloud::new(vec![[f64::INFINITY; 3]]).is_err());
    assert!(Cloud::new(vec![[1e200; 3], [-1e200; 3]]).unwrap().normalised().is_err());
}
