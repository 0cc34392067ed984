//! The JSON chunk: the parts of a glTF document that shape depends on.
//!
//! Accessors, views, buffers and meshes are the `gltf` crate's types. Scenes and nodes are our own, because its
//! node holds transforms as `f32` (coordinates would change in the eighth digit) and its scene must have nodes.
//! Everything else (materials, pictures, animations, extras) is passed over unread, so that a fault there
//! can't cost a mesh.

use gltf::json::{Accessor, Buffer, Mesh, buffer::View};
use serde::Deserialize;

use super::{Limits, Refusal, RefusalKind};

/// A glTF document, as far as shape goes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    asset: Asset,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<View>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    pub scene: Option<u32>,
    #[serde(default)]
    pub extensions_used: Vec<String>,
    #[serde(default)]
    extensions_required: Vec<String>,
}

#[derive(Deserialize)]
struct Asset {
    version: String,
}

/// A scene's roots.
#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<u32>,
}

/// A node with its transform in `f64`.
#[derive(Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    pub mesh: Option<u32>,
    pub skin: Option<u32>,
    #[serde(default)]
    pub children: Vec<u32>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
}

/// Extensions that may be required by a file that is read: they change looks, not shape. Integer positions
/// (`KHR_mesh_quantization`) are read like any others.
const HARMLESS: [&str; 12] = [
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_texture_basisu",
    "KHR_lights_punctual",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "KHR_animation_pointer",
    "EXT_texture_webp",
    "EXT_texture_avif",
    "EXT_lights_image_based",
    "EXT_lights_ies",
    "MSFT_texture_dds",
];

/// Extensions that change the shape even where a file says that it can do without them.
const SHAPING: [(&str, &str); 1] =
    [("EXT_mesh_gpu_instancing", "make the instances real, or export without GPU instancing")];

fn is_harmless(extension: &str) -> bool {
    HARMLESS.contains(&extension) || extension.starts_with("KHR_materials_")
}

/// Parses the JSON chunk and checks what concerns the document as a whole.
pub(super) fn parse(json: &[u8], limits: &Limits) -> Result<Document, Refusal> {
    // Chunks are padded with blanks; some exporters pad with zeros.
    let end = json.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    let document: Document = serde_json::from_slice(&json[..end]).map_err(|error| {
        Refusal::new(
            RefusalKind::InvalidDocument,
            format!("JSON chunk, line {} column {}", error.line(), error.column()),
            format!("not a glTF document: {error}; export the file again"),
        )
    })?;
    let version = &document.asset.version;
    if version.split('.').next() != Some("2") {
        return Err(Refusal::new(
            RefusalKind::WrongVersion,
            "asset.version",
            format!("glTF version {version:?}, and only version 2 is read; export as glTF 2.0"),
        ));
    }
    if document.nodes.len() as u64 > limits.max_nodes {
        return Err(Refusal::limit("nodes", document.nodes.len() as u64, limits.max_nodes, "nodes", "max_nodes"));
    }
    for (i, extension) in document.extensions_required.iter().enumerate() {
        if !is_harmless(extension) {
            let remedy = match extension.as_str() {
                "KHR_draco_mesh_compression" => "export without Draco compression",
                "EXT_meshopt_compression" | "KHR_meshopt_compression" => "export without meshopt compression",
                _ => "export without it",
            };
            return Err(unsupported(format!("extensionsRequired[{i}]"), extension, remedy));
        }
    }
    for (i, extension) in document.extensions_used.iter().enumerate() {
        if let Some((_, remedy)) = SHAPING.iter().find(|(name, _)| name == extension) {
            return Err(unsupported(format!("extensionsUsed[{i}]"), extension, remedy));
        }
    }
    Ok(document)
}

fn unsupported(place: String, extension: &str, remedy: &str) -> Refusal {
    Refusal::new(
        RefusalKind::UnsupportedExtension,
        place,
        format!("the extension {extension:?} is not read here; {remedy}"),
    )
}
