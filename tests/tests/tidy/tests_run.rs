//! No test is switched off, and nothing is promised that isn't there.

use crate::{Breach, tree::Tree};

pub const BROKEN: &[(&str, &str)] = &[
    ("core/tests/chamfer.rs", "#[test]\n#[ignore]\nfn slow() {}\n"),
    ("server/src/api/mod.rs", "fn f() {\n    todo!()\n}\n"),
    ("www/tests/run.test.ts", "test.skip('opens', () => {});\n"),
    ("www/tests/run.test.ts", "it.only('opens', () => {});\n"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    // This folder spells out what it looks for.
    let elsewhere = tree.all().filter(|(file, _)| !file.starts_with("tests/tests/tidy/"));
    for (file, text) in elsewhere {
        let never: &[&str] = match file.rsplit('.').next() {
            Some("rs") => &["#[ignore", "todo!(", "unimplemented!("],
            Some("ts" | "mjs" | "js") => &["test.skip(", "it.skip(", "describe.skip(", ".only(", ".todo("],
            _ => continue,
        };
        for (number, line) in text.lines().enumerate() {
            if let Some(found) = never.iter().find(|word| line.contains(**word)) {
                breaches.push(Breach {
                    place: format!("{file}:{}", number + 1),
                    message: format!("`{}` has no place here", found.trim_end_matches('(')),
                });
            }
        }
    }
    breaches
}
