//! Core takes bytes and seeds and returns values.

use crate::{Breach, rust_paths, tree::Tree};

/// The beginning of a path, and why core may not name it.
const NEVER: &[(&str, &str)] = &[
    ("std::fs", "files belong to the server"),
    ("std::env", "settings are handed in"),
    ("std::net", "core has no network"),
    ("std::process", "core starts nothing"),
    ("std::thread", "threads belong to the caller"),
    ("std::time::Instant", "time is handed in"),
    ("std::time::SystemTime", "time is handed in"),
    ("std::os", "core runs in browsers"),
    ("std::collections::HashMap", "its order differs from run to run: take a BTreeMap"),
    ("std::collections::HashSet", "its order differs from run to run: take a BTreeSet"),
    ("std::hash::RandomState", "randomness comes from a seed that was handed in"),
];

pub const BROKEN: &[(&str, &str)] = &[
    ("core/src/glb/mod.rs", "fn read() { let _ = std::fs::read(\"a.glb\"); }"),
    ("core/src/cloud.rs", "use std::{collections::HashMap, fmt};"),
    ("core/src/bundle/write.rs", "fn now() -> std::time::SystemTime { todo() }"),
    ("core/src/nearest.rs", "use std::thread;"),
    ("core/src/program.rs", "pub const HOME: Option<&str> = None; fn f() { std::env::var(\"HOME\"); }"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (file, text) in tree.rust("core/src/") {
        for path in rust_paths::of(file.trim_start_matches("core/src/"), text) {
            for (never, why) in NEVER {
                if rust_paths::begins(&path, never) {
                    breaches.push(Breach { place: file.to_owned(), message: format!("`{}`: {why}", path.join("::")) });
                }
            }
        }
    }
    breaches
}
