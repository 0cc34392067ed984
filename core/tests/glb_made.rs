//! GLB files made here, one property at a time: what is read from them, or why they are refused. And real files
//! with bytes changed: never a panic.

use meshmark_core::{
    glb::{self, Limits, Refusal, RefusalKind, inspect, read},
    mesh::Mesh,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A document over the bytes `bin`, with `buffers` added.
fn glb(mut document: Value, bin: &[u8]) -> Vec<u8> {
    document["asset"] = json!({"version": "2.0"});
    document["buffers"] = json!([{"byteLength": bin.len()}]);
    pack(&document.to_string(), bin)
}

fn pack(json: &str, bin: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    [b"glTF", &2u32.to_le_bytes(), &word(28 + json.len() + bin.len())[..], &word(json.len()), b"JSON", &json]
        .into_iter()
        .chain([&word(bin.len())[..], b"BIN\0", &bin])
        .flatten()
        .copied()
        .collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A unit square in z = 0 as two triangles: positions at 0, u16 indices at 48.
const SQUARE: [f32; 12] = [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];

fn square() -> (Value, Vec<u8>) {
    let mut bin = floats(&SQUARE);
    bin.extend([0u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()));
    let document = json!({
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}]
    });
    (document, bin)
}

/// The square with one thing of the document changed.
fn with(pointer: &str, value: Value) -> Vec<u8> {
    let (mut document, bin) = square();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        other => other[key] = value,
    }
    glb(document, &bin)
}

/// A place in one of the document's lists, which grows to hold it.
fn entry<'a>(document: &'a mut Value, list: &str, at: usize) -> &'a mut Value {
    let list = document[list].as_array_mut().unwrap();
    list.resize(list.len().max(at + 1), Value::Null);
    &mut list[at]
}

fn mesh(bytes: &[u8]) -> Mesh {
    read(bytes, &Limits::default()).unwrap_or_else(|refusal| panic!("{refusal}"))
}

#[track_caller]
fn refused(bytes: &[u8], kind: RefusalKind, place: &str) {
    let Refusal { kind: found, place: at, message } = read(bytes, &Limits::default()).unwrap_err();
    assert_eq!((found, at.as_str()), (kind, place), "{message}");
}

#[test]
fn the_square_is_read() {
    let (document, bin) = square();
    let mesh = mesh(&glb(document, &bin));
    assert_eq!((mesh.positions.len(), mesh.triangles.len(), mesh.area(), mesh.components()), (4, 2, 1.0, 1));
    assert_eq!(mesh.bounds(), Some([[0.0; 3], [1.0, 1.0, 0.0]]));
}

#[test]
fn faults_are_refused_where_they_are() {
    use RefusalKind::*;
    let primitive = "/meshes/0/primitives/0";
    let position = "meshes[0].primitives[0].attributes.POSITION";
    let indices = "meshes[0].primitives[0].indices";
    for (pointer, value, kind, place) in [
        (format!("{primitive}/mode"), json!(1), UnsupportedMode, "meshes[0].primitives[0].mode"),
        (format!("{primitive}/mode"), json!(9), UnsupportedMode, "meshes[0].primitives[0].mode"),
        (format!("{primitive}/attributes/POSITION"), json!(7), ReferenceOutOfRange, position),
        (
            format!("{primitive}/attributes/NORMAL"),
            json!(1),
            UnsupportedAccessor,
            "meshes[0].primitives[0].attributes.NORMAL",
        ),
        (format!("{primitive}/indices"), json!(0), UnsupportedAccessor, indices),
        ("/accessors/0/count".into(), json!(3), IndexOutOfRange, indices),
        ("/accessors/0/count".into(), json!(5), BytesOutOfRange, position),
        ("/accessors/0/count".into(), json!(u64::MAX), LimitExceeded, position),
        ("/accessors/0/byteOffset".into(), json!(u64::MAX), BytesOutOfRange, position),
        ("/accessors/0/type".into(), json!("VEC2"), UnsupportedAccessor, position),
        ("/accessors/0/componentType".into(), json!(5130), UnsupportedAccessor, position),
        ("/accessors/0/bufferView".into(), json!(9), ReferenceOutOfRange, position),
        ("/accessors/0/bufferView".into(), json!(null), MissingData, position),
        ("/accessors/1/count".into(), json!(5), IncompleteTriangles, indices),
        ("/accessors/1/componentType".into(), json!(5122), UnsupportedAccessor, indices),
        ("/bufferViews/0/buffer".into(), json!(1), ReferenceOutOfRange, position),
        ("/bufferViews/0/byteStride".into(), json!(8), UnsupportedAccessor, position),
        ("/bufferViews/0/byteLength".into(), json!(4000), BytesOutOfRange, "bufferViews[0]"),
        ("/nodes/0/mesh".into(), json!(3), ReferenceOutOfRange, "nodes[0].mesh"),
        ("/nodes/0/children".into(), json!([0]), NodeTree, "nodes[0].children[0]"),
        ("/nodes/0/children".into(), json!([4]), ReferenceOutOfRange, "nodes[0].children[0]"),
        ("/nodes/0/rotation".into(), json!([0, 0, 0, 0]), InvalidDocument, "nodes[0].rotation"),
        (
            "/nodes/0/matrix".into(),
            json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
            InvalidDocument,
            "nodes[0].matrix",
        ),
        ("/scene".into(), json!(2), ReferenceOutOfRange, "scene"),
        (
            "/extensionsRequired".into(),
            json!(["KHR_draco_mesh_compression"]),
            UnsupportedExtension,
            "extensionsRequired[0]",
        ),
        (
            "/extensionsRequired".into(),
            json!(["KHR_texture_transform", "X_y"]),
            UnsupportedExtension,
            "extensionsRequired[1]",
        ),
        ("/extensionsUsed".into(), json!(["EXT_mesh_gpu_instancing"]), UnsupportedExtension, "extensionsUsed[0]"),
    ] {
        refused(&with(&pointer, value), kind, place);
    }
    // The corner (1, 0, 0) becomes (2, 0, 0), and 2e308 is beyond f64.
    let (mut document, mut bin) = square();
    document["nodes"][0]["scale"] = json!([1e308, 1.0, 1.0]);
    bin[12..16].copy_from_slice(&2f32.to_le_bytes());
    refused(&glb(document, &bin), NonFinite, position);
    let (document, mut bin) = square();
    bin[4..8].copy_from_slice(&f32::NAN.to_le_bytes());
    refused(&glb(document, &bin), NonFinite, position);
    let (mut document, _) = square();
    document["asset"] = json!({"version": "2.0"});
    document["buffers"] = json!([{"byteLength": 60, "uri": "data.bin"}]);
    refused(&pack(&document.to_string(), &[]), ExternalBuffer, "buffers[0]");
    refused(&pack(r#"{"asset":{"version":"1.0"}}"#, &[]), WrongVersion, "asset.version");
}

#[test]
fn deep_trees_end_at_the_limit() {
    let (mut document, bin) = square();
    let count = 100_000;
    let nodes = (0..count).map(|i| if i + 1 < count { json!({"children": [i + 1]}) } else { json!({"mesh": 0}) });
    document["nodes"] = nodes.collect();
    refused(&glb(document.clone(), &bin), RefusalKind::LimitExceeded, "nodes[255].children[0]");
    let deep = Limits { max_depth: 200_000, ..Limits::default() };
    assert_eq!(read(&glb(document.clone(), &bin), &deep).unwrap().triangles.len(), 2);
    let few = Limits { max_nodes: 1000, ..Limits::default() };
    assert_eq!(read(&glb(document, &bin), &few).unwrap_err().kind, RefusalKind::LimitExceeded);
}

#[test]
fn limits_are_kept_with_instances() {
    let (mut document, bin) = square();
    document["nodes"] = json!([{"mesh": 0}, {"mesh": 0}, {"mesh": 0}]);
    document["scenes"] = json!([{"nodes": [0, 1, 2]}]);
    let bytes = glb(document, &bin);
    assert_eq!(mesh(&bytes).triangles.len(), 6);
    for limits in [
        Limits { max_triangles: 5, ..Limits::default() },
        Limits { max_vertices: 11, ..Limits::default() },
        Limits { max_bytes: 100, ..Limits::default() },
        Limits { max_json_bytes: 100, ..Limits::default() },
    ] {
        assert_eq!(read(&bytes, &limits).unwrap_err().kind, RefusalKind::LimitExceeded, "{limits:?}");
    }
}

#[test]
fn transforms_move_and_mirrors_keep_the_outside_outside() {
    for (transform, normal) in [
        (json!({"mesh": 0}), [0.0, 0.0, 1.0]),
        (json!({"mesh": 0, "scale": [-1, 1, 1]}), [0.0, 0.0, 1.0]),
        (json!({"mesh": 0, "scale": [1, 1, -1]}), [0.0, 0.0, -1.0]),
        // A quarter turn about x takes z to -y.
        (
            json!({"mesh": 0, "rotation": [std::f64::consts::FRAC_1_SQRT_2, 0, 0, std::f64::consts::FRAC_1_SQRT_2]}),
            [0.0, -1.0, 0.0],
        ),
        (json!({"mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,-2,0, 5,6,7,1]}), [0.0, 0.0, -1.0]),
        (json!({"mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 1,0,1,0, 0,0,0,1]}), [0.0, 0.0, 1.0]),
    ] {
        let (mut document, mut bin) = square();
        document["nodes"] = json!([transform]);
        document["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(2);
        *entry(&mut document, "accessors", 2) =
            json!({"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC3"});
        *entry(&mut document, "bufferViews", 2) = json!({"buffer": 0, "byteOffset": 60, "byteLength": 48});
        bin.extend(floats(&[0., 0., 1.].repeat(4)));
        let mesh = mesh(&glb(document, &bin));
        for t in 0..2 {
            let [a, b, c] = mesh.corners(t);
            let (u, v): ([f64; 3], [f64; 3]) =
                (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
            let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            for k in 0..3 {
                assert!((n[k] - normal[k]).abs() < 1e-12, "{transform}: triangle {t} faces {n:?}");
            }
        }
        let n = mesh.normals.unwrap()[0].map(f64::from);
        assert!((0..3).all(|k| (n[k] - normal[k]).abs() < 1e-6), "{transform}: {n:?}");
    }
}

#[test]
fn hierarchies_multiply_from_the_root() {
    let (mut document, bin) = square();
    document["nodes"] = json!([
        {"translation": [10, 0, 0], "children": [1]},
        {"scale": [2, 2, 2], "translation": [0, 1, 0], "children": [2]},
        {"mesh": 0, "translation": [1, 1, 1]}
    ]);
    assert_eq!(mesh(&glb(document, &bin)).bounds(), Some([[12.0, 3.0, 2.0], [14.0, 5.0, 2.0]]));
}

#[test]
fn strips_fans_and_lists_without_indices_are_read() {
    for (mode, corners, triangles) in [
        (5, vec![0u16, 1, 3, 2], vec![[0, 1, 3], [1, 2, 3]]),
        (6, vec![0, 1, 2, 3], vec![[1, 2, 0], [2, 3, 0]]),
        (4, vec![0, 1, 2], vec![[0, 1, 2]]),
    ] {
        let (mut document, mut bin) = square();
        bin.truncate(48);
        bin.extend(corners.iter().flat_map(|i| i.to_le_bytes()));
        document["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        document["accessors"][1]["count"] = json!(corners.len());
        document["bufferViews"][1]["byteLength"] = json!(2 * corners.len());
        let mesh = mesh(&glb(document, &bin));
        assert_eq!(mesh.triangles, triangles, "mode {mode}");
        assert!((0..mesh.triangles.len()).all(|t| mesh.triangle_area(t) == 0.5));
    }
    let (mut document, bin) = square();
    document["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
    document["accessors"][0]["count"] = json!(3);
    assert_eq!(mesh(&glb(document, &bin)).triangles, [[0, 1, 2]]);
}

#[test]
fn integer_strided_and_sparse_positions_are_read() {
    // Normalized shorts, six bytes in a stride of eight.
    let (mut document, _) = square();
    let shorts: Vec<u8> = SQUARE
        .chunks(3)
        .flat_map(|p| [p[0], p[1], p[2], 9.0])
        .flat_map(|v| ((v * 32767.0) as i16).to_le_bytes())
        .collect();
    let tail: Vec<u8> = [0u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect();
    document["accessors"][0] =
        json!({"bufferView": 0, "componentType": 5122, "normalized": true, "count": 4, "type": "VEC3"});
    document["bufferViews"] =
        json!([{"buffer": 0, "byteLength": 32, "byteStride": 8}, {"buffer": 0, "byteOffset": 32, "byteLength": 12}]);
    document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    assert_eq!(mesh(&glb(document, &[shorts, tail].concat())).area(), 1.0);

    // All zero but for two corners of the first triangle.
    let (mut document, mut bin) = square();
    bin.extend([1u8, 2, 0, 0]);
    bin.extend(floats(&[2., 0., 0., 2., 2., 0.]));
    document["accessors"][0] = json!({"componentType": 5126, "count": 4, "type": "VEC3", "sparse": {
        "count": 2, "indices": {"bufferView": 2, "componentType": 5121}, "values": {"bufferView": 3}}});
    *entry(&mut document, "bufferViews", 2) = json!({"buffer": 0, "byteOffset": 60, "byteLength": 2});
    *entry(&mut document, "bufferViews", 3) = json!({"buffer": 0, "byteOffset": 64, "byteLength": 24});
    let positions = mesh(&glb(document.clone(), &bin)).positions;
    assert_eq!(positions, [[0.0; 3], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0; 3]]);
    bin[60] = 2;
    refused(&glb(document, &bin), RefusalKind::IndexOutOfRange, "meshes[0].primitives[0].attributes.POSITION");
}

#[test]
fn colours_are_read_and_white_where_there_are_none() {
    let (mut document, mut bin) = square();
    document["meshes"][0]["primitives"] = json!([
        {"attributes": {"POSITION": 0}, "indices": 1},
        {"attributes": {"POSITION": 0, "COLOR_0": 2}, "indices": 1},
        {"attributes": {"POSITION": 0}, "indices": 1}
    ]);
    *entry(&mut document, "accessors", 2) =
        json!({"bufferView": 2, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC3"});
    *entry(&mut document, "bufferViews", 2) = json!({"buffer": 0, "byteOffset": 60, "byteLength": 16, "byteStride": 4});
    bin.extend([255u8, 0, 51, 7].repeat(4));
    let mesh = mesh(&glb(document, &bin));
    // The first and the last primitive name the same accessors and share their vertices.
    assert_eq!((mesh.positions.len(), mesh.parts.len()), (8, 3));
    assert_eq!(mesh.colors.unwrap(), [[[1.0; 4]; 4], [[1.0, 0.0, 0.2, 1.0]; 4]].concat());
    assert_eq!(mesh.triangles[4], [0, 1, 2]);
}

#[test]
fn empty_scenes_are_no_fault() {
    for document in [json!({}), json!({"scenes": [{}]}), json!({"nodes": [{}]})] {
        let facts = serde_json::to_value(inspect(&glb(document, &[]), &Limits::default())).unwrap();
        assert_eq!((&facts["triangles"], &facts["area"], &facts["bounds"]), (&json!(0), &json!(0.0), &json!(null)));
    }
}

const REAL: [&[u8]; 4] = [
    include_bytes!("../goldens/glb/BoxInterleaved.glb"),
    include_bytes!("../goldens/glb/cubevc.glb"),
    include_bytes!("../goldens/glb/nested.glb"),
    include_bytes!("../goldens/glb/no_indices_3storybuilding.glb"),
];

/// What every mesh that is read promises.
fn check(mesh: &Mesh) {
    let n = mesh.positions.len();
    assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < n));
    assert!(mesh.positions.iter().flatten().all(|v| v.is_finite()));
    assert!(mesh.normals.as_ref().is_none_or(|all| all.len() == n));
    assert!(mesh.colors.as_ref().is_none_or(|all| all.len() == n));
    let ends: Vec<usize> = mesh.parts.iter().map(|part| part.triangles.end).collect();
    let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).collect();
    assert!(mesh.parts.iter().zip(&starts).all(|(part, start)| part.triangles.start == *start));
    assert_eq!(starts.last(), Some(&mesh.triangles.len()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_and_cut_files_give_a_whole_mesh_or_a_refusal(
        file in 0..REAL.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = REAL[file].to_vec();
        for (at, value) in changes {
            // Most changes go where they matter: header, JSON and the beginning of the binary chunk.
            let end = bytes.len().min(4000);
            bytes[at.index(end)] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let limits = Limits { max_vertices: 1 << 20, max_triangles: 1 << 20, ..Limits::default() };
        match glb::read(&bytes, &limits) {
            Ok(mesh) => check(&mesh),
            Err(refusal) => prop_assert!(!refusal.message.is_empty() && !refusal.place.is_empty()),
        }
    }

    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(glb::read(&bytes, &Limits::default()).is_err());
    }
}
