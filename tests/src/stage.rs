//! The stages of `cargo verify`. Each says what it proves, what it needs, and which part of the source it
//! depends on, so that it is left alone while that part stays as it was when the stage last passed.

use std::{path::Path, process::Command};

use anyhow::Result;

use crate::{
    build::{self, cargo, npm},
    place,
    sample::{self, Sample},
    screen,
    setup::Needs,
};

/// One thing that `cargo verify` proves.
pub struct Stage {
    /// What `--only` takes.
    pub name: &'static str,
    /// In a few words.
    pub proves: &'static str,
    /// What must be set up for it.
    pub needs: Needs,
    /// Left out by `--quick`.
    pub slow: bool,
    /// The parts of the checkout it depends on.
    pub source: &'static [&'static str],
    /// Does it; the flag says whether `--quick` was given.
    pub run: fn(quick: bool) -> Result<()>,
}

const RUST: &[&str] = &["core", "web", "server", "tests", "Cargo.toml", "Cargo.lock", ".cargo", "rustfmt.toml"];
const WASM: &[&str] = &["core", "web", "tests/src/bin/wasm.rs", "tests/wasi-runner.mjs", "Cargo.toml", "Cargo.lock"];
const PAGES: &[&str] = &["www", "core", "web", "Cargo.lock"];
const EVERYTHING: &[&str] = &["."];

const EVALUATED: &[&str] = &["core", "server", "tests", "Cargo.lock"];

const NOTHING: Needs = Needs { wasm: false, node: false, blender: false, browser: false };
const TOOLS: Needs = Needs { wasm: true, ..NOTHING };

/// Every stage, in the order in which a failure is cheapest to see.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "format",
        proves: "the Rust source is formatted",
        needs: TOOLS,
        slow: false,
        source: RUST,
        run: |_| screen::openly(cargo().args(["fmt", "--all", "--check"])),
    },
    Stage { name: "lint", proves: "clippy has nothing to say", needs: TOOLS, slow: false, source: RUST, run: lint },
    Stage {
        name: "native",
        proves: "every Rust test passes",
        needs: Needs { blender: true, ..TOOLS },
        slow: false,
        source: EVERYTHING,
        run: native,
    },
    Stage {
        name: "wasm-tests",
        proves: "core gives the same digits as WebAssembly",
        needs: Needs { node: true, ..TOOLS },
        slow: false,
        source: WASM,
        run: wasm_tests,
    },
    Stage {
        name: "wasm",
        proves: "the modules for scores and views build",
        needs: TOOLS,
        slow: false,
        source: &[],
        run: |_| build::wasm(),
    },
    Stage {
        name: "types",
        proves: "the pages' types hold",
        needs: Needs { node: true, ..TOOLS },
        slow: false,
        source: PAGES,
        run: |_| screen::openly(npm().args(["run", "--silent", "check"])),
    },
    Stage {
        name: "pages",
        proves: "the pages build, and their parts do what they should",
        needs: Needs { node: true, ..TOOLS },
        slow: false,
        source: PAGES,
        run: pages,
    },
    Stage {
        name: "whole",
        proves: "the samples end as they must, and the evidence holds",
        needs: Needs { blender: true, ..TOOLS },
        slow: true,
        source: EVALUATED,
        run: whole,
    },
    Stage {
        name: "browser",
        proves: "the pages show the samples in a real browser, and compute the same digits",
        needs: Needs { node: true, blender: true, browser: true, ..TOOLS },
        slow: true,
        source: EVERYTHING,
        run: browser,
    },
];

fn lint(_quick: bool) -> Result<()> {
    screen::openly(
        cargo()
            .args(["clippy", "--quiet", "--workspace", "--all-targets", "--features", "meshmark-tests/whole"])
            .args(["--", "-D", "warnings"]),
    )?;
    for module in ["scores", "views"] {
        screen::openly(cargo().args(["clippy", "--quiet", "--package", "meshmark-web", "--target"]).args([
            "wasm32-unknown-unknown",
            "--features",
            module,
            "--",
            "-D",
            "warnings",
        ]))?;
    }
    Ok(())
}

fn native(quick: bool) -> Result<()> {
    let nextest = Command::new("cargo-nextest").arg("--version").output().is_ok_and(|output| output.status.success());
    let mut tests = cargo();
    tests.args(if nextest {
        &["nextest", "run", "--workspace"][..]
    } else {
        &["test", "--workspace", "--lib", "--bins", "--tests"]
    });
    if nextest && quick {
        tests.args(["--filterset", "not binary(/^blender_/)"]);
    }
    if quick {
        tests.env("MESHMARK_QUICK", "1");
    }
    screen::openly(&mut tests)?;
    screen::openly(cargo().args(["test", "--quiet", "--doc", "--package", "meshmark-core"]))
}

fn wasm_tests(_quick: bool) -> Result<()> {
    let runner = format!("node --no-warnings {}", place::root().join("tests/wasi-runner.mjs").display());
    screen::openly(
        cargo()
            .args(["test", "--quiet", "--package", "meshmark-core", "--target", "wasm32-wasip1", "--tests"])
            .env("CARGO_TARGET_WASM32_WASIP1_RUNNER", runner)
            .env("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", "-C target-feature=+simd128"),
    )
}

fn whole(_quick: bool) -> Result<()> {
    let program = build::program()?;
    let sample = sample::evaluate(&program)?;
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--package", "meshmark-tests", "--features", "whole", "--test", "whole_system"]);
    screen::openly(with_sample(&mut tests, &program, &sample))
}

fn browser(_quick: bool) -> Result<()> {
    let program = build::program()?;
    let sample = sample::evaluate(&program)?;
    let pages = build::pages()?;
    let mut tests = npm();
    tests.args(["test", "--silent", "--", "tests/browser"]).env("MESHMARK_PAGES", pages);
    screen::openly(with_sample(&mut tests, &program, &sample))
}

/// What tests of the whole system are told.
fn with_sample<'a>(tests: &'a mut Command, program: &Path, sample: &Sample) -> &'a mut Command {
    tests
        .env("MESHMARK_BIN", program)
        .env("MESHMARK_DEMO_BUNDLE", &sample.bundle)
        .env("MESHMARK_RENDERED_BUNDLE", &sample.rendered)
}

fn pages(_quick: bool) -> Result<()> {
    build::pages()?;
    screen::openly(npm().args(["test", "--silent", "--", "tests/unit"]))
}
