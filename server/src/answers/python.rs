//! Whether a text is Python.

use std::thread;

use ruff_python_ast::PythonVersion;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

/// Larger texts are no programs.
pub const MAX_BYTES: usize = 4 << 20;
/// Brackets in one another, as many as CPython takes.
const MAX_DEPTH: usize = 200;
/// Deeply nested texts are taken apart by recursion; of this only what is used costs memory.
const STACK_BYTES: usize = 1 << 30;

/// Whether a text is a module of Python 3.11, which is Blender 5.0's.
///
/// As CPython's `ast.parse` decides; `core/goldens/reply/replies.json` has the cases that were compared.
#[must_use]
pub fn parses(text: &str) -> bool {
    if text.len() > MAX_BYTES || text.starts_with('\u{feff}') || text.contains('\0') || is_too_deep(text) {
        return false;
    }
    thread::scope(|scope| {
        let parsing = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
            let options = ParseOptions::from(Mode::Module).with_target_version(PythonVersion::PY311);
            let parsed = parse_unchecked(text, options);
            parsed.errors().is_empty() && parsed.unsupported_syntax_errors().is_empty()
        });
        // A text that breaks the parser is none that it parses.
        parsing.is_ok_and(|parsing| parsing.join().unwrap_or(false))
    })
}

/// Counts brackets without regard for strings: near enough for a bound that no program comes close to.
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

#[cfg(test)]
mod tests {
    use meshmark_core::reply;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Golden {
        reply: String,
        official: Option<(String, u32, u32)>,
    }

    #[test]
    fn programs_are_found_as_the_real_parser_finds_them() {
        let goldens = include_str!("../../../core/goldens/reply/replies.json");
        let goldens: Vec<Golden> = serde_json::from_str(goldens).unwrap();
        assert!(goldens.len() > 50);
        let wrong: Vec<_> = goldens
            .iter()
            .filter_map(|golden| {
                let found = reply::official(&golden.reply, &parses);
                let found = found.map(|found| (found.text, found.trimmed_head, found.trimmed_tail));
                (found != golden.official).then(|| format!("{:?}\n  {found:?}\n  {:?}", golden.reply, golden.official))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn texts_made_to_break_a_parser_do_not() {
        for text in ["-".repeat(200_000), "not ".repeat(100_000), "lambda: ".repeat(50_000), "[".repeat(100_000)] {
            assert!(!parses(&text));
        }
        assert!(parses(&format!("x = {}1", "-".repeat(50_000))));
        assert!(!parses("x = 1\0"));
    }
}
