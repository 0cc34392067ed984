//! Files that other people's tools wrote, and broken ones: facts, or the kind of the refusal.

use meshmark_core::glb::{Facts, Inspection, Limits, Refusal, RefusalKind, inspect};

macro_rules! corpus {
    ($($name:literal),* $(,)?) => { [$(($name, include_bytes!(concat!("../goldens/glb/", $name)).as_slice())),*] };
}

fn facts(name: &str, bytes: &[u8]) -> Facts {
    match inspect(bytes, &Limits::default()) {
        Inspection::Facts(facts) => facts,
        Inspection::Refused { refused } => panic!("{name}: {refused}"),
    }
}

/// `real-facts.json` comes from trimesh with node transforms applied and nothing merged.
#[test]
fn real_files_have_the_facts_that_trimesh_finds() {
    let expected: serde_json::Value = serde_json::from_str(include_str!("../goldens/glb/real-facts.json")).unwrap();
    let files = corpus![
        "BoxInterleaved.glb",
        "BoxTextured.glb",
        "Duck.glb",
        "cube.glb",
        "cubevc.glb",
        "empty_nodes.glb",
        "monkey.glb",
        "nested.glb",
        "no_indices_3storybuilding.glb",
    ];
    assert_eq!(expected.as_object().unwrap().len(), files.len());
    for (name, bytes) in files {
        let (facts, expected) = (facts(name, bytes), &expected[name]);
        assert_eq!(facts.triangles as u64, expected["triangles"], "{name}");
        assert_eq!(facts.vertices as u64, expected["vertices"], "{name}");
        assert_eq!(facts.nodes_with_mesh as u64, expected["nodes_with_mesh"], "{name}");
        let area = expected["area"].as_f64().unwrap();
        // trimesh sums in another order and multiplies transforms with another rounding.
        assert!((facts.area - area).abs() <= 1e-9 * area, "{name}: {} for {area}", facts.area);
        let bounds: Option<[[f64; 3]; 2]> = serde_json::from_value(expected["bounds"].clone()).unwrap();
        assert_eq!(facts.bounds.is_some(), bounds.is_some(), "{name}");
        for (ours, theirs) in facts.bounds.iter().flatten().flatten().zip(bounds.iter().flatten().flatten()) {
            assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{name}: {ours} for {theirs}");
        }
    }
}

#[test]
fn broken_files_are_refused_with_kind_place_and_remedy() {
    use RefusalKind::*;
    for ((name, bytes), kind) in corpus![
        "malformed/accessor-invalid_sparse_count_and_stride.gltf",
        "malformed/accessor-unresolved_bufferviews.gltf",
        "malformed/accessor_data-get_elements_sparse.gltf",
        "malformed/accessor_data-invalid_elements_float.gltf",
        "malformed/buffer-no_bin_chunk.glb",
        "malformed/buffer-valid.glb",
        "malformed/buffer-wrong_bytelength.glb",
        "malformed/glb-chunk_too_big.glb",
        "malformed/glb-empty_file.glb",
        "malformed/glb-empty_json_object.glb",
        "malformed/glb-invalid_magic.glb",
        "malformed/glb-invalid_version.glb",
        "malformed/glb-length_mismatch.glb",
        "malformed/glb-only_header.glb",
        "malformed/glb-truncated_chunk_data.glb",
        "malformed/glb-two_bin_chunks.glb",
        "malformed/glb-unaligned_chunk.glb",
        "malformed/glb-valid_buffer.glb",
        "malformed/glb-zero_chunk_header.glb",
    ]
    .into_iter()
    .zip([
        Some(NotGlb),
        Some(NotGlb),
        Some(NotGlb),
        Some(NotGlb),
        // A buffer that no mesh asks for costs nothing.
        None,
        None,
        Some(Truncated),
        Some(WrongLength),
        Some(Truncated),
        Some(InvalidDocument),
        Some(NotGlb),
        Some(WrongVersion),
        Some(Truncated),
        Some(Truncated),
        Some(Truncated),
        Some(WrongChunk),
        // Unpadded, as some exporters write them: there is one way to read it.
        None,
        None,
        Some(WrongChunk),
    ]) {
        match (inspect(bytes, &Limits::default()), kind) {
            (Inspection::Refused { refused: Refusal { kind: found, place, message } }, Some(kind)) => {
                assert_eq!(found, kind, "{name}: {place}: {message}");
                assert!(!place.is_empty() && message.len() > 20, "{name}: {place}: {message}");
            }
            (Inspection::Facts(facts), None) => assert_eq!(facts.triangles, 0, "{name}"),
            (found, kind) => panic!("{name}: {found:?}, not {kind:?}"),
        }
    }
}
