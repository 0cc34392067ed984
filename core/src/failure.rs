//! What kind of failure an exception is, and a text that is equal for equal causes.
//!
//! The classes are those of the official code's failure taxonomy: what moved between Blender 4.x and 5.0, bmeshes in the
//! wrong state, operators in the wrong context. Two things differ. The official pattern for a failed poll expects a blank
//! that Blender doesn't print, so that such failures fell among the others; here they are found. And what fits two
//! classes is `OTHER` rather than the first of them.
//!
//! Oracle: `goldens/failure/messages.json`, which Blender 5.0 itself said (`make_messages.py` beside it).

use crate::outcome::FailureClass;

/// Where a fingerprint is cut, characters.
pub const FINGERPRINT_CHARS: usize = 200;

/// Inputs of the Principled shader that were renamed.
const SHADER_INPUTS: &[&str] = &[
    "Specular",
    "Subsurface",
    "Subsurface Color",
    "Transmission",
    "Sheen",
    "Sheen Tint",
    "Clearcoat",
    "Clearcoat Roughness",
    "Anisotropic",
    "Specular Tint",
];

/// Attributes that are gone, by type.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    ("Mesh", &["use_auto_smooth", "calc_normals", "calc_normals_split", "calc_loop_triangles", "auto_smooth_angle"]),
    ("Object", &["shade_smooth", "use_auto_smooth"]),
    ("Material", &["shadow_method", "blend_method", "use_screen_refraction", "use_sss_translucency"]),
    ("BMLayerAccessEdge", &["crease"]),
    ("NoiseTexture", &["noise_scale"]),
];

/// Modifiers of which any missing attribute counts, without the word `Modifier`.
const MODIFIERS: &[&str] = &[
    "Bevel",
    "SimpleDeform",
    "Subsurf",
    "Solidify",
    "Mirror",
    "Array",
    "Bisect",
    "Decimate",
    "Smooth",
    "Wave",
    "Cast",
    "Hook",
    "Lattice",
    "MeshDeform",
    "SurfaceDeform",
    "VolumeToMesh",
    "VolumeDisplace",
    "Particle",
    "ParticleSystem",
];

/// Values of enumerations that are gone.
const ENUM_VALUES: &[&str] = &[
    "BLENDER_EEVEE_NEXT",
    "FAST",
    "SUBSURFACE",
    "SUBDIVISION_SURFACE",
    "SUBDIVISION",
    "SMOOTH_BY_ANGLE",
    "ARC",
    "WAVE",
    "PLANAR",
];

/// bmesh operators of which any refused keyword counts.
const KEYWORD_OF: &[&str] = &[
    "create_cone",
    "create_cylinder",
    "create_uvsphere",
    "create_icosphere",
    "create_grid",
    "create_circle",
    "create_torus",
    "bevel",
    "spin",
    "extrude",
    "inset",
    "loop_cut",
];

/// Keywords that operators no longer know.
const OPERATOR_KEYWORDS: &[&str] = &["use_auto_smooth", "subdivisions", "smoothness"];

/// bmesh operators that are not there.
const BMESH_OPERATORS: &[&str] = &[
    "create_cylinder",
    "recalc_normals",
    "subdivide",
    "delete",
    "remove_doubles",
    "spin",
    "connect_verts",
    "bridge_loops",
    "extrude_face_region",
    "extrude_edge_only",
    "smooth_vert",
];

/// Shader nodes that are gone, after `ShaderNodeTex`.
const TEXTURE_NODES: &[&str] = &["Musgrave", "Brick", "Checker", "Magic", "Wave", "Gradient"];

/// Keys of the results of bmesh operators.
const BMESH_RESULTS: &[&str] = &["geom", "verts", "edges", "faces", "loops"];

/// The class of an exception, by its class name and message.
#[must_use]
pub fn classify(kind: &str, message: &str) -> FailureClass {
    let classes = [
        (FailureClass::B5Api, is_api_drift(kind, message)),
        (FailureClass::Bmesh, is_bmesh_state(kind, message)),
        (FailureClass::Context, is_context(kind, message)),
        (FailureClass::Module, is_module(kind, message)),
    ];
    let mut fitting = classes.iter().filter(|(_, fits)| *fits).map(|(class, _)| *class);
    match (fitting.next(), fitting.next()) {
        (Some(class), None) => class,
        _ => FailureClass::Other,
    }
}

fn is_api_drift(kind: &str, message: &str) -> bool {
    match kind {
        "KeyError" => between(message, "key \"", "\"").is_some_and(|key| SHADER_INPUTS.contains(&key)),
        "AttributeError" => is_gone_attribute(message),
        "TypeError" => is_gone_argument(message),
        "ImportError" => {
            ["'Noise' from 'mathutils", "'noise' from 'mathutils"].iter().any(|name| message.contains(name))
        }
        "NameError" => message.contains("name 'mathutils' is not defined"),
        "RuntimeError" => between(message, "Node type ", " undefined").is_some_and(|node| {
            node.starts_with("GeometryNode")
                || node.strip_prefix("ShaderNodeTex").is_some_and(|name| TEXTURE_NODES.contains(&name))
        }),
        _ => false,
    }
}

fn is_gone_attribute(message: &str) -> bool {
    if let Some(operator) = between(message, "operator \"", "\" doesn't exist") {
        return BMESH_OPERATORS.contains(&operator);
    }
    let (Some(owner), Some(attribute)) = (between(message, "'", "' object"), between(message, "attribute '", "'"))
    else {
        return false;
    };
    owner == "ParticleSettings"
        || owner.strip_suffix("Modifier").is_some_and(|name| MODIFIERS.contains(&name))
        || ATTRIBUTES.iter().any(|(name, gone)| *name == owner && gone.contains(&attribute))
}

fn is_gone_argument(message: &str) -> bool {
    if let Some(value) = between(message, "enum \"", "\" not found in ") {
        return ENUM_VALUES.contains(&value)
            || message.contains("not found in ('GREASE_PENCIL")
            || ["ObjectModifiers.new()", "BlendDataTextures.new()"]
                .iter()
                .any(|call| message.starts_with(call) && message.contains("\"type\""));
    }
    let Some(keyword) = between(message, "keyword \"", "\"") else { return false };
    if message.contains("unrecognized") {
        return OPERATOR_KEYWORDS.contains(&keyword);
    }
    let operator = message.split(':').next().unwrap_or_default();
    KEYWORD_OF.contains(&operator) || (operator == "subdivide_edges" && keyword == "number_cuts")
}

fn is_bmesh_state(kind: &str, message: &str) -> bool {
    match kind {
        "IndexError" => message.contains("outdated internal index table"),
        "ReferenceError" => {
            message.contains("has been removed") && ["BMesh data", "StructRNA"].iter().any(|of| message.contains(of))
        }
        "ValueError" => {
            message.starts_with("faces.new")
                && ["face already exists", "used multiple times"].iter().any(|what| message.contains(what))
        }
        "KeyError" => BMESH_RESULTS.contains(&message.trim_matches(['\'', '"'])),
        _ => false,
    }
}

fn is_context(kind: &str, message: &str) -> bool {
    match kind {
        "ValueError" => message.contains("1-2 args execution context"),
        "RuntimeError" => between(message, "Operator bpy.ops.", ".poll() failed").is_some(),
        _ => false,
    }
}

fn is_module(kind: &str, message: &str) -> bool {
    // Python's own spelling for a module that is nowhere; a name missing from a module that is there reads otherwise.
    matches!(kind, "ModuleNotFoundError" | "ImportError") && message.starts_with("No module named")
}

/// What stands between two texts, at their first occurrence.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inside, _)| inside)
}

/// A text that is equal for equal causes: `Type: message`, of which the first line that is not blank and belongs to no
/// traceback counts, with file names, addresses and numbers replaced, cut to [`FINGERPRINT_CHARS`].
///
/// After the official code's executability report, which replaces file and line references alone.
#[must_use]
pub fn fingerprint(kind: &str, message: &str) -> String {
    let text = if kind.is_empty() { message.to_owned() } else { format!("{kind}: {message}") };
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("Traceback") && !line.starts_with("File "))
        .unwrap_or_default();
    let words: Vec<_> = line.split_whitespace().map(without_particulars).collect();
    words.join(" ").chars().take(FINGERPRINT_CHARS).collect()
}

/// A word with a file's name or a number replaced, its punctuation kept.
fn without_particulars(word: &str) -> String {
    let is_edge = |c: char| !c.is_alphanumeric() && !"/_-.".contains(c);
    let core = word.trim_matches(is_edge).trim_end_matches('.');
    if core.is_empty() {
        return word.to_owned();
    }
    let stands_for = if core.contains('/') && core.len() > 1 || core.ends_with(".py") {
        "<file>"
    } else if core.strip_prefix("0x").is_some_and(|hex| !hex.is_empty() && hex.chars().all(|c| c.is_ascii_hexdigit())) {
        "<address>"
    } else if core.parse::<f64>().is_ok() && core.contains(|c: char| c.is_ascii_digit()) {
        "<n>"
    } else {
        return word.to_owned();
    };
    word.replacen(core, stands_for, 1)
}
