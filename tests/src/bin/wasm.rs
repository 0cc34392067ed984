//! Builds the two wasm modules of the pages and their bindings into `www/generated`. The bindings are made by
//! wasm-bindgen as a library, in the version of the lock file, so that the two can't drift apart.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
};

use anyhow::{Context, Result, bail};
use flate2::{Compression, write::GzEncoder};
use meshmark_tests::{build, place, screen};
use serde_json::Value;
use wasm_bindgen_cli_support::Bindgen;

/// A build of `meshmark-web`.
struct Module {
    /// Its feature, and the name of what is generated.
    name: &'static str,
    /// A profile of the workspace's manifest.
    profile: &'static str,
    /// Flags of the compiler.
    flags: &'static str,
}

const MODULES: &[Module] = &[
    // The distances are sums over thousands of points; two lanes at once give the same digits sooner.
    Module { name: "scores", profile: "wasm-speed", flags: "-C target-feature=+simd128" },
    Module { name: "views", profile: "wasm-size", flags: "" },
];

fn main() -> ExitCode {
    for module in MODULES {
        if let Err(error) = generate(module) {
            eprintln!("\nthe wasm module `{}` could not be made: {error:#}", module.name);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn generate(module: &Module) -> Result<()> {
    let wasm = compile(module)?;
    let made = tempfile::tempdir()?;
    Bindgen::new()
        .input_path(&wasm)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false)
        .out_name(module.name)
        .generate(made.path())?;
    let out = place::root().join("www/generated").join(module.name);
    fs::create_dir_all(&out)?;
    for entry in fs::read_dir(made.path())? {
        let entry = entry?;
        replace(&entry.path(), &out.join(entry.file_name()))?;
    }
    let bytes = fs::read(out.join(format!("{}_bg.wasm", module.name)))?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&bytes)?;
    screen::say(&format!(
        "{:<8}{:>7} kB, {:>5} kB gzip",
        module.name,
        bytes.len() / 1000,
        packed.finish()?.len() / 1000
    ));
    Ok(())
}

fn compile(module: &Module) -> Result<PathBuf> {
    let mut cargo = build::cargo();
    cargo
        .args(["build", "--package", "meshmark-web", "--lib", "--target", "wasm32-unknown-unknown"])
        .args(["--profile", module.profile, "--features", module.name, "--message-format=json-render-diagnostics"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", module.flags)
        .stderr(Stdio::inherit());
    let output = cargo.output().context("cargo could not be started")?;
    if !output.status.success() {
        bail!("it does not compile: see above");
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "meshmark_web")
        .filter_map(|message| message["filenames"].as_array().cloned())
        .flatten()
        .find_map(|file| file.as_str().filter(|file| file.ends_with(".wasm")).map(PathBuf::from))
        .context("cargo built it but did not say where")
}

/// Writes `to` only when its content changes: what watches it then stays quiet.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let new = fs::read(from)?;
    if fs::read(to).is_ok_and(|old| old == new) {
        return Ok(());
    }
    let beside = to.with_extension("part");
    fs::write(&beside, new)?;
    Ok(fs::rename(&beside, to)?)
}
