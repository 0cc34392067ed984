//! In the pages, `api` alone makes requests, `engine` alone loads wasm, and no address of elsewhere is spelt.

use crate::{Breach, tree::Tree};

const REQUESTS: &[&str] = &["fetch(", "XMLHttpRequest", "new EventSource", "new WebSocket", "sendBeacon"];

pub const BROKEN: &[(&str, &str)] = &[
    ("www/src/pages/run.ts", "const reply = await fetch('/runs.json');\n"),
    ("www/src/elements/progress.ts", "const stream = new EventSource(url);\n"),
    ("www/src/pages/trial.ts", "import init from '../../generated/scores/scores.js';\n"),
    ("www/src/elements/header.css", "@import url(https://fonts.example/inter.css);\n"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (file, text) in tree.below("www/src/") {
        for (number, line) in text.lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") || code.starts_with('*') || code.starts_with("/*") {
                continue;
            }
            let mut breach = |message: &str| {
                breaches.push(Breach { place: format!("{file}:{}", number + 1), message: message.to_owned() });
            };
            if !file.starts_with("www/src/api/") && REQUESTS.iter().any(|request| calls(code, request)) {
                breach("requests are made in www/src/api");
            }
            if !file.starts_with("www/src/engine/") && code.contains("generated/") {
                breach("wasm is loaded in www/src/engine");
            }
            // A namespace is a name; it is never fetched.
            let elsewhere = code.replace("http://www.w3.org/", "");
            if elsewhere.contains("http://") || elsewhere.contains("https://") {
                breach("nothing is fetched from elsewhere");
            }
        }
    }
    breaches
}

/// Whether `code` has `request` as a word of its own: `prefetch(` is another function.
fn calls(code: &str, request: &str) -> bool {
    code.match_indices(request).any(|(at, _)| {
        !code[..at].chars().next_back().is_some_and(|before| before.is_alphanumeric() || before == '_' || before == '.')
            || code[..at].ends_with("window.")
            || code[..at].ends_with("globalThis.")
            || code[..at].ends_with("navigator.")
    })
}
