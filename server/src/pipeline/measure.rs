//! What is measured on a result. The numbers are core's; here is only who is asked for which.

use std::collections::BTreeMap;

use meshmark_core::{
    bundle::format::Measurement,
    chamfer::{Comparison, Options, compare},
    protocol::{CHAMFER_OFFICIAL, CHAMFER_UPRIGHT, Recomputable},
};
use serde_json::{Value, json};

/// The measures that can be asked for.
pub const ALL: [&str; 2] = [CHAMFER_UPRIGHT, CHAMFER_OFFICIAL];

/// How far a candidate's shape is from the reference's. Without a candidate there is no value, but the penalty that a
/// failed attempt counts: it follows from the reference alone.
#[must_use]
pub fn shape(reference: &[u8], candidate: Option<&[u8]>, protocol: &str) -> Measurement {
    let options = Options::default();
    let measurement = |value, details, note| Measurement {
        protocol: protocol.to_owned(),
        value,
        recomputable: Recomputable::Browser,
        details,
        note,
    };
    let of_reference = || compare(reference, reference, protocol, &options);
    let failed = |note: String| match of_reference() {
        Ok(comparison) => measurement(None, penalty(&comparison), Some(note)),
        Err(error) => measurement(None, BTreeMap::new(), Some(error.to_string())),
    };
    let Some(candidate) = candidate else { return failed("the program made no mesh".to_owned()) };
    match compare(reference, candidate, protocol, &options) {
        Ok(comparison) => {
            let mut details = penalty(&comparison);
            details.insert("per_yaw".to_owned(), json!(comparison.per_yaw));
            details.insert("yaw_deg".to_owned(), json!(comparison.yaw_deg));
            details.insert("noise_floor".to_owned(), json!(comparison.noise_floor));
            measurement(Some(comparison.value), details, None)
        }
        Err(error) => failed(error.to_string()),
    }
}

fn penalty(comparison: &Comparison) -> BTreeMap<String, Value> {
    let mut details = BTreeMap::from([("penalty".to_owned(), json!(comparison.penalty))]);
    if let Some(seed) = comparison.seed {
        details.insert("seed".to_owned(), json!(seed));
        details.insert("points".to_owned(), json!(comparison.points));
    }
    details
}
