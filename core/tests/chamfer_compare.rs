//! `compare` as scripts see it, and what `chamfer/upright@1` promises about files that differ only in order.

use meshmark_core::{
    chamfer::{CompareError, Options, Side, compare, upright},
    glb::{self, Limits, RefusalKind},
    mesh::Mesh,
    nearest::Turn,
    protocol::{CHAMFER_OFFICIAL, CHAMFER_UPRIGHT},
};

const CHAIR: &[u8] = include_bytes!("../goldens/chamfer/chair.glb");
const TURNED: &[u8] = include_bytes!("../goldens/chamfer/chair_yaw90.glb");
const EMPTY: &[u8] = include_bytes!("../goldens/glb/empty_nodes.glb");

fn mesh(bytes: &[u8]) -> Mesh {
    glb::read(bytes, &Limits::default()).unwrap()
}

#[test]
fn the_json_has_the_promised_names() {
    let found = serde_json::to_value(compare(CHAIR, TURNED, CHAMFER_UPRIGHT, &Options::default()).unwrap()).unwrap();
    for name in ["protocol", "value", "yaw_deg", "per_yaw", "noise_floor", "reference", "candidate"] {
        assert!(!found[name].is_null(), "{name} in {found}");
    }
    for side in ["reference", "candidate"] {
        for name in ["triangles", "vertices", "area", "bounds"] {
            assert!(!found[side][name].is_null(), "{side}.{name} in {found}");
        }
    }
    assert_eq!(found["yaw_deg"], 270);
}

#[test]
fn options_belong_to_protocols_that_have_them() {
    let seed = Options { seed: Some(3), points: None };
    let points = |points| Options { seed: None, points: Some(points) };
    for options in [seed, points(100)] {
        let error = compare(CHAIR, TURNED, CHAMFER_UPRIGHT, &options).unwrap_err();
        assert!(matches!(error, CompareError::NoSuchOption { .. }), "{error}");
    }
    for bad in [0, 1_000_001] {
        let error = compare(CHAIR, TURNED, CHAMFER_OFFICIAL, &points(bad)).unwrap_err();
        assert_eq!(error, CompareError::Points { points: bad });
    }
    let a = compare(CHAIR, TURNED, CHAMFER_OFFICIAL, &points(500)).unwrap();
    let b = compare(CHAIR, TURNED, CHAMFER_OFFICIAL, &Options { seed: Some(3), points: Some(500) }).unwrap();
    assert_eq!((a.points, a.seed, b.seed), (500, Some(0), Some(3)));
    assert_ne!(a.value, b.value);
    let error = compare(CHAIR, TURNED, "chamfer/other@1", &Options::default()).unwrap_err();
    assert!(error.to_string().contains(CHAMFER_UPRIGHT), "{error}");
}

#[test]
fn errors_say_whose_fault_it_is() {
    for protocol in [CHAMFER_UPRIGHT, CHAMFER_OFFICIAL] {
        let against = |reference, candidate| compare(reference, candidate, protocol, &Options::default()).unwrap_err();
        for (error, blamed) in [(against(b"glTF", CHAIR), Side::Reference), (against(CHAIR, b"glTF"), Side::Candidate)]
        {
            let CompareError::Refused { side, refusal } = error else { panic!("{error}") };
            assert_eq!((side, refusal.kind), (blamed, RefusalKind::Truncated));
        }
        for (error, blamed) in [(against(EMPTY, CHAIR), Side::Reference), (against(CHAIR, EMPTY), Side::Candidate)] {
            let CompareError::Chamfer(error) = error else { panic!("{error}") };
            assert_eq!(error.side, blamed);
        }
    }
}

/// Triangles in another order, with their corners rotated and every second one turned over: the same cloud to the
/// bit.
#[test]
fn order_and_winding_do_not_matter() {
    let chair = mesh(CHAIR);
    let mut shuffled = chair.clone();
    let n = chair.triangles.len();
    // 7 has no factor in common with the number of triangles, so every one is taken once.
    assert_ne!(n % 7, 0);
    shuffled.triangles = (0..n)
        .map(|t| {
            let [a, b, c] = chair.triangles[t * 7 % n];
            if t % 2 == 0 { [b, c, a] } else { [c, b, a] }
        })
        .collect();
    let found = upright::between(&chair, &shuffled).unwrap();
    assert_eq!(found.value, 0.0);
    assert_eq!(upright::between(&shuffled, &chair).unwrap().per_yaw, upright::between(&chair, &chair).unwrap().per_yaw);
}

/// Sizes and places are taken out; a power of two scales without rounding, a shift rounds a little.
#[test]
fn size_and_place_do_not_matter_and_a_turn_is_found() {
    let chair = mesh(CHAIR);
    let moved = |map: &dyn Fn([f64; 3]) -> [f64; 3]| {
        let mut moved = chair.clone();
        moved.positions.iter_mut().for_each(|p| *p = map(*p));
        moved
    };
    let floor = upright::Reference::new(&chair).unwrap().noise_floor();
    assert_eq!(upright::between(&chair, &moved(&|p| p.map(|v| 8.0 * v))).unwrap().value, 0.0);
    assert!(upright::between(&chair, &moved(&|p| p.map(|v| v + 0.375))).unwrap().value < 1e-12);
    for turn in Turn::ALL {
        // Turned triangles are sampled in another order, so the cloud is another one of the same surface.
        let found = upright::between(&chair, &moved(&|p| turn.inverse().apply(p))).unwrap();
        assert_eq!(found.yaw_deg, turn.degrees());
        assert!(found.value < 4.0 * floor, "{turn:?}: {} with a floor of {floor}", found.value);
    }
}

#[test]
fn a_shape_beyond_all_numbers_is_an_error() {
    let chair = mesh(CHAIR);
    for scale in [1e160, 1e300] {
        let mut large = chair.clone();
        large.positions.iter_mut().for_each(|p| *p = p.map(|v| v * scale));
        assert_eq!(upright::between(&chair, &large).unwrap_err().side, Side::Candidate);
    }
    let mut point = chair.clone();
    point.positions.iter_mut().for_each(|p| *p = [1.0; 3]);
    assert!(!point.has_area());
    assert!(upright::between(&point, &chair).is_err());
}
