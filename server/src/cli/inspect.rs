//! `meshmark inspect`: what is in a mesh, or why it can't be read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use meshmark_core::glb::{Facts, Inspection, Limits, inspect};

use super::{Failure, Verdict, screen::Screen};

/// Facts of a mesh, or the reason why it is not read
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  meshmark inspect chair.glb --json")]
pub(super) struct Args {
    /// A binary glTF 2.0 file
    #[arg(value_name = "FILE.glb")]
    file: PathBuf,
}

pub(super) fn run(args: &Args, screen: &Screen) -> Result<Verdict, Failure> {
    let bytes = read_mesh(&args.file)?;
    let inspection = inspect(&bytes, &Limits::default());
    screen.result(&inspection, |screen| match &inspection {
        Inspection::Facts(facts) => lines(facts, screen),
        Inspection::Refused { refused } => {
            format!("{} is not read\n  {}\n  {}", args.file.display(), screen.strong(&refused.place), refused.message)
        }
    })?;
    Ok(match inspection {
        Inspection::Facts(_) => Verdict::Done,
        Inspection::Refused { .. } => Verdict::DoesNotHold,
    })
}

/// The bytes of a file that the caller named.
pub(super) fn read_mesh(file: &Path) -> Result<Vec<u8>, Failure> {
    let limit = Limits::default().max_bytes;
    let wrong = |error: std::io::Error| Failure::Call(format!("{} can't be read: {error}", file.display()));
    let facts = fs::metadata(file).map_err(wrong)?;
    if !facts.is_file() {
        return Err(Failure::Call(format!("{} is not a file", file.display())));
    }
    if facts.len() > limit {
        return Err(Failure::Call(format!("{} has {} bytes, {limit} are read", file.display(), facts.len())));
    }
    fs::read(file).map_err(wrong)
}

fn lines(facts: &Facts, screen: &Screen) -> String {
    let row = |name: &str, value: String| format!("{} {value}\n", screen.faint(&format!("{name:<18}")));
    let mut text = row("triangles", facts.triangles.to_string());
    text += &row("vertices", facts.vertices.to_string());
    text += &row("nodes with a mesh", facts.nodes_with_mesh.to_string());
    text += &row("components", facts.components.to_string());
    text += &row("area", format!("{:.6} m²", facts.area));
    if let Some([low, high]) = facts.bounds {
        let size: Vec<_> = (0..3).map(|k| format!("{:.4}", high[k] - low[k])).collect();
        text += &row("size", format!("{} m (x, y, z; y is up)", size.join(" × ")));
    }
    for warning in &facts.warnings {
        text += &row("warning", warning.clone());
    }
    text
}
