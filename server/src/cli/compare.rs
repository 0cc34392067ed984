//! `meshmark compare`: how far one mesh's shape is from another's.

use std::path::PathBuf;

use meshmark_core::{
    chamfer::{CompareError, Comparison, Options, compare},
    protocol::CHAMFER_UPRIGHT,
};

use super::{Failure, Verdict, inspect::read_mesh, screen::Screen};

/// Shape measures of two meshes
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    meshmark compare reference.glb candidate.glb\n  \
    meshmark compare reference.glb candidate.glb --protocol chamfer/official@1 --seed 7 --json")]
pub(super) struct Args {
    /// What was asked for: a binary glTF 2.0 file
    #[arg(value_name = "REFERENCE.glb")]
    reference: PathBuf,

    /// What was made
    #[arg(value_name = "CANDIDATE.glb")]
    candidate: PathBuf,

    /// What the number means
    #[arg(long, value_name = "ID", default_value = CHAMFER_UPRIGHT)]
    protocol: String,

    /// Points on each surface, where the protocol leaves them open
    #[arg(long, value_name = "N")]
    points: Option<usize>,

    /// Where random numbers begin, where the protocol has them
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
}

pub(super) fn run(args: &Args, screen: &Screen) -> Result<Verdict, Failure> {
    let (reference, candidate) = (read_mesh(&args.reference)?, read_mesh(&args.candidate)?);
    let options = Options { seed: args.seed, points: args.points };
    match compare(&reference, &candidate, &args.protocol, &options) {
        Ok(comparison) => {
            screen.result(&comparison, |screen| lines(&comparison, screen))?;
            Ok(Verdict::Done)
        }
        Err(error @ (CompareError::Refused { .. } | CompareError::Chamfer(_))) => {
            let document = serde_json::json!({ "protocol": args.protocol, "value": null, "reason": error.to_string() });
            screen.result(&document, |_| format!("there is no distance: {error}"))?;
            Ok(Verdict::DoesNotHold)
        }
        Err(error) => Err(Failure::Call(error.to_string())),
    }
}

fn lines(comparison: &Comparison, screen: &Screen) -> String {
    let row = |name: &str, value: String| format!("{} {value}\n", screen.faint(&format!("{name:<14}")));
    let mut text = row(
        "distance",
        format!("{}  at a yaw of {}°", screen.strong(&format!("{:.6}", comparison.value)), comparison.yaw_deg),
    );
    text += &row("protocol", comparison.protocol.clone());
    let yaws = comparison.per_yaw.iter().zip([0, 90, 180, 270]).map(|(value, yaw)| format!("{yaw}° {value:.6}"));
    text += &row("every yaw", yaws.collect::<Vec<_>>().join("   "));
    text += &row("noise floor", format!("{:.6}  (smaller distances mean nothing)", comparison.noise_floor));
    text += &row("penalty", format!("{:.6}  (what a failed trial counts)", comparison.penalty));
    for (name, shape) in [("reference", &comparison.reference), ("candidate", &comparison.candidate)] {
        text += &row(name, format!("{} triangles, {:.6} m²", shape.triangles, shape.area));
    }
    text
}
