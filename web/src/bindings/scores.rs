//! Core's measures, for a worker: they take up to seconds, which a page can't spare.

use meshmark_core::{
    chamfer::{self, CompareError, Options},
    glb::{self, Limits},
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{Problem, plain};

/// Facts of a GLB, or `{refused: {kind, where, message}}`.
///
/// # Errors
/// Never for a strange file: that is a result.
#[wasm_bindgen]
pub fn inspect(glb: &[u8]) -> Result<JsValue, JsValue> {
    plain(&glb::inspect(glb, &Limits::default()))
}

/// Compares two GLBs as `meshmark compare --json` does. `seed` is only for protocols that have one.
///
/// # Errors
/// Throws `{kind, where, message}` when there is no distance.
#[wasm_bindgen]
pub fn compare(reference: &[u8], candidate: &[u8], protocol: &str, seed: Option<u32>) -> Result<JsValue, JsValue> {
    let options = Options { seed: seed.map(u64::from), points: None };
    match chamfer::compare(reference, candidate, protocol, &options) {
        Ok(comparison) => plain(&comparison),
        Err(error) => Err(problem(&error)),
    }
}

fn problem(error: &CompareError) -> JsValue {
    let (kind, place) = match error {
        CompareError::UnknownProtocol { .. } => ("unknown_protocol", "protocol".to_owned()),
        CompareError::NoSuchOption { option, .. } => ("no_such_option", (*option).to_owned()),
        CompareError::Points { .. } => ("points", "points".to_owned()),
        CompareError::Refused { side, refusal } => ("refused", format!("{side}, {}", refusal.place)),
        CompareError::Chamfer(error) => ("no_distance", error.side.to_string()),
    };
    Problem { kind, place: &place, message: error.to_string() }.thrown()
}
