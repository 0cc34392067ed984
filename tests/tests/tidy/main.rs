//! Enforces who may call whom, from manifests and source, and proves of each fence that it holds: every rule
//! stands beside small trees that break it.
//!
//! A new rule is a file in this folder with `check` and `BROKEN`, and a line in [`RULES`].

mod catch_all_names;
mod core_is_pure;
mod manifests;
mod one_place_for_wasm_bindgen;
mod python_measures_nothing;
mod rooms_of_server;
mod rust_paths;
mod tests_run;
mod tree;
mod wasm_and_fetch_in_www;

use tree::Tree;

/// Something in the source that breaks a rule.
#[derive(Debug)]
struct Breach {
    /// File, and what in it.
    place: String,
    /// What is wrong and where it should go.
    message: String,
}

/// A rule of the house.
struct Rule {
    name: &'static str,
    /// Why it is there.
    because: &'static str,
    check: fn(&Tree) -> Vec<Breach>,
    /// Trees that break it, each by one file: `(path, text)`.
    broken: &'static [(&'static str, &'static str)],
}

const RULES: &[Rule] = &[
    Rule {
        name: "manifests",
        because: "web, server and tests know core; nothing points the other way",
        check: manifests::check,
        broken: manifests::BROKEN,
    },
    Rule {
        name: "core is pure",
        because: "the same bytes must give the same digits in a browser and on a server",
        check: core_is_pure::check,
        broken: core_is_pure::BROKEN,
    },
    Rule {
        name: "rooms of server",
        because: "pipeline, store, runner and sandbox work without HTTP, and HTTP only asks the pipeline",
        check: rooms_of_server::check,
        broken: rooms_of_server::BROKEN,
    },
    Rule {
        name: "one place for wasm-bindgen",
        because: "the renderer is tested without a browser",
        check: one_place_for_wasm_bindgen::check,
        broken: one_place_for_wasm_bindgen::BROKEN,
    },
    Rule {
        name: "wasm and fetch in www",
        because: "pages work from any static host, and nothing but `api` can make a request",
        check: wasm_and_fetch_in_www::check,
        broken: wasm_and_fetch_in_www::BROKEN,
    },
    Rule {
        name: "Python measures nothing",
        because: "core is the one definition of every number",
        check: python_measures_nothing::check,
        broken: python_measures_nothing::BROKEN,
    },
    Rule {
        name: "no catch-all names",
        because: "the tree tells the story",
        check: catch_all_names::check,
        broken: catch_all_names::BROKEN,
    },
    Rule {
        name: "tests run",
        because: "a test that is left out proves nothing",
        check: tests_run::check,
        broken: tests_run::BROKEN,
    },
];

#[test]
fn the_checkout_keeps_every_rule() {
    let tree = Tree::of_checkout();
    // A fence around nothing holds nothing.
    for (room, least) in [("core/src/", 10), ("server/src/", 7), ("web/src/", 3), ("www/src/", 5), ("tests/src/", 5)] {
        let found = tree.below(room).count();
        assert!(found >= least, "only {found} files were found below {room}");
    }
    let breaches: Vec<_> = RULES
        .iter()
        .flat_map(|rule| (rule.check)(&tree).into_iter().map(move |breach| (rule, breach)))
        .map(|(rule, breach)| format!("{}: {}\n    ({}: {})", breach.place, breach.message, rule.name, rule.because))
        .collect();
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}

#[test]
fn every_rule_catches_what_breaks_it() {
    for rule in RULES {
        assert!(!rule.broken.is_empty(), "the rule `{}` has nothing that breaks it", rule.name);
        for &(path, text) in rule.broken {
            let found = (rule.check)(&Tree::of([(path, text)]));
            assert_eq!(found.len(), 1, "`{}` on {path}:\n{text}\n{found:#?}", rule.name);
        }
    }
}
