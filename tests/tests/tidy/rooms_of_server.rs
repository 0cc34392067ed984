//! The rooms of the server, and the doors that are not there.

use crate::{Breach, rust_paths, tree::Tree};

/// A room, and the rooms that it may not enter.
const NEVER: &[(&str, &[&str])] = &[
    ("sandbox", &["api", "cli", "pipeline", "store", "runner", "answers", "tasks", "config"]),
    ("runner", &["api", "cli", "pipeline", "store", "answers", "tasks", "config"]),
    ("answers", &["api", "cli", "pipeline", "store", "runner", "sandbox"]),
    ("store", &["api", "cli", "pipeline", "runner", "sandbox"]),
    ("pipeline", &["api", "cli"]),
    ("api", &["cli", "sandbox", "runner", "embed"]),
    ("embed", &["api", "cli", "pipeline"]),
];

pub const BROKEN: &[(&str, &str)] = &[
    ("server/src/pipeline/trial.rs", "use crate::api::problem::Problem;"),
    ("server/src/store/mod.rs", "use crate::{api::state};"),
    ("server/src/runner/mod.rs", "fn f() { crate::pipeline::go() }"),
    ("server/src/sandbox/mod.rs", "use super::runner::Runner;"),
    ("server/src/api/trials.rs", "use crate::runner::Runner;"),
    ("server/src/api/mod.rs", "fn f(s: &dyn crate::sandbox::Sandbox) {}"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (file, text) in tree.rust("server/src/") {
        let inside = file.trim_start_matches("server/src/");
        let room = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some((_, never)) = NEVER.iter().find(|(name, _)| *name == room) else { continue };
        for path in rust_paths::of(inside, text) {
            let entered = never.iter().find(|other| rust_paths::begins(&path, &format!("crate::{other}")));
            if let Some(other) = entered {
                breaches.push(Breach {
                    place: file.to_owned(),
                    message: format!("`{room}` may not use `{other}`: `{}`", path.join("::")),
                });
            }
        }
    }
    breaches
}
