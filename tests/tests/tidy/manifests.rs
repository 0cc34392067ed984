//! Which package may depend on which.

use toml::{Table, Value};

use crate::{Breach, tree::Tree};

/// Package folder, and what it may never depend on (outside of its own tests).
const NEVER: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "meshmark-web",
            "meshmark-server",
            "meshmark-tests",
            "tokio",
            "tokio-util",
            "axum",
            "reqwest",
            "wgpu",
            "wasm-bindgen",
            "js-sys",
            "web-sys",
            "getrandom",
            "rand",
            "rayon",
            "tempfile",
            "chrono",
            "time",
            "jiff",
            "log",
            "tracing",
        ],
    ),
    ("web", &["meshmark-server", "meshmark-tests", "tokio", "tokio-util", "axum", "reqwest"]),
    ("server", &["meshmark-web", "meshmark-tests", "wgpu", "wasm-bindgen", "js-sys", "web-sys"]),
    ("tests", &["meshmark-web", "meshmark-server", "tokio", "axum", "reqwest", "wgpu"]),
];

pub const BROKEN: &[(&str, &str)] = &[
    ("core/Cargo.toml", "[dependencies]\ntokio = \"1\"\n"),
    ("core/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nrayon = \"1\"\n"),
    ("core/Cargo.toml", "[dependencies]\nclock = { package = \"chrono\", version = \"0.4\" }\n"),
    ("web/Cargo.toml", "[dependencies]\nmeshmark-server.workspace = true\n"),
    ("server/Cargo.toml", "[dependencies]\nmeshmark-web.workspace = true\n"),
    ("tests/Cargo.toml", "[dependencies]\nmeshmark-server = { path = \"../server\" }\n"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for &(package, never) in NEVER {
        let file = format!("{package}/Cargo.toml");
        let Some((_, text)) = tree.all().find(|(path, _)| *path == file) else { continue };
        let manifest: Table = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
        for name in dependencies(&manifest) {
            if never.contains(&name.as_str()) {
                breaches.push(Breach { place: file.clone(), message: format!("{package} may not depend on {name}") });
            }
        }
    }
    breaches
}

/// The names of the packages behind `dependencies` and `target.*.dependencies`.
fn dependencies(manifest: &Table) -> Vec<String> {
    let of = |table: Option<&Value>| {
        let entries = table.and_then(Value::as_table).into_iter().flatten();
        entries
            .map(|(key, value)| value.get("package").and_then(Value::as_str).unwrap_or(key).to_owned())
            .collect::<Vec<_>>()
    };
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    of(manifest.get("dependencies"))
        .into_iter()
        .chain(targets.flat_map(|(_, target)| of(target.get("dependencies"))))
        .collect()
}
