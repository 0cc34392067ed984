//! The configuration file: every limit and path has a default, and a place in it. Secrets have none: they come from the
//! environment.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::{
    runner::{self, Backend},
    sandbox::{self, Layer},
};

/// `meshmark.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which Blender.
    pub blender: Blender,
    /// What a program may use.
    pub limits: Limits,
    /// What keeps programs in.
    pub sandbox: Sandbox,
    /// How many at once.
    pub run: Run,
    /// The server.
    pub serve: Serve,
}

/// `[blender]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Blender {
    /// Python of the environment that holds the `bpy` module.
    pub python: Option<PathBuf>,
    /// A Blender program.
    pub binary: Option<PathBuf>,
    /// `bpy` or `blender`; by default what the other two name.
    pub backend: Option<BackendName>,
}

/// The name of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum BackendName {
    /// The module.
    Bpy,
    /// The program.
    Blender,
}

/// `[limits]`
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Wall-clock seconds for Blender's start and the program.
    pub script_wall_s: f64,
    /// Wall-clock seconds for the export.
    pub export_wall_s: f64,
    /// Wall-clock seconds for all pictures.
    pub render_wall_s: f64,
    /// Processor seconds of one process.
    pub cpu_s: f64,
    /// Address space of one process.
    pub address_space_bytes: u64,
    /// Memory of all processes of a trial together.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
    /// One file's size.
    pub file_bytes: u64,
    /// All files of a trial together.
    pub folder_bytes: u64,
    /// What is kept of a program's output.
    pub log_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let runner::Limits { script, export, render, sandbox } = runner::Limits::default();
        Self {
            script_wall_s: script.as_secs_f64(),
            export_wall_s: export.as_secs_f64(),
            render_wall_s: render.as_secs_f64(),
            cpu_s: sandbox.cpu.as_secs_f64(),
            address_space_bytes: sandbox.address_space_bytes,
            memory_bytes: sandbox.memory_bytes,
            processes: sandbox.processes,
            file_bytes: sandbox.file_bytes,
            folder_bytes: sandbox.folder_bytes,
            log_bytes: sandbox.log_bytes,
        }
    }
}

/// `[sandbox]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// Layers to do without, by name.
    pub without: Vec<String>,
}

/// `[run]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// Trials at once; by default one for each core, as far as memory allows.
    pub jobs: Option<usize>,
    /// Memory for all trials together; by default three quarters of what the machine has free.
    pub memory_bytes: Option<u64>,
}

/// `[serve]`
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Serve {
    /// Address and port.
    pub listen: String,
    /// Bundles to show, and the trials that were submitted.
    pub runs: PathBuf,
    /// The built pages.
    pub pages: Option<PathBuf>,
    /// Trials that may wait.
    pub queue: usize,
    /// The environment variable that holds the token with which trials may be submitted from elsewhere.
    pub token_env: String,
}

impl Default for Serve {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8317".to_owned(),
            runs: "runs".into(),
            pages: None,
            queue: 64,
            token_env: "MESHMARK_TOKEN".to_owned(),
        }
    }
}

impl Config {
    /// Reads a file; without one, the defaults.
    ///
    /// # Errors
    /// When the file can't be read or says what nobody understands; the message has the place.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
        let config: Self = toml::from_str(&text).with_context(|| format!("{} is no configuration", path.display()))?;
        config.runner_limits()?;
        config.without()?;
        Ok(config)
    }

    /// Which Blender the runner shall start.
    ///
    /// # Errors
    /// When the binary is wanted and none is named.
    pub fn backend(&self) -> Result<Backend> {
        let Blender { python, binary, backend } = &self.blender;
        let name = backend.unwrap_or(if binary.is_some() { BackendName::Blender } else { BackendName::Bpy });
        match (name, binary) {
            (BackendName::Bpy, _) => Ok(Backend::Bpy { python: python.clone().unwrap_or_else(default_python) }),
            (BackendName::Blender, Some(blender)) => Ok(Backend::Binary { blender: blender.clone() }),
            (BackendName::Blender, None) => {
                bail!(
                    "the backend `blender` needs the path of a Blender program: say `--blender PATH`, or `binary` under `[blender]`"
                )
            }
        }
    }

    /// What the runner shall allow.
    ///
    /// # Errors
    /// When a time is no positive number.
    pub fn runner_limits(&self) -> Result<runner::Limits> {
        let limits = &self.limits;
        let time = |name: &str, seconds: f64| {
            Duration::try_from_secs_f64(seconds)
                .ok()
                .filter(|time| !time.is_zero())
                .with_context(|| format!("the limit `{name}` is {seconds}; it must be a number of seconds above 0"))
        };
        Ok(runner::Limits {
            script: time("script_wall_s", limits.script_wall_s)?,
            export: time("export_wall_s", limits.export_wall_s)?,
            render: time("render_wall_s", limits.render_wall_s)?,
            sandbox: sandbox::Limits {
                // Set for each stage.
                wall: Duration::ZERO,
                cpu: time("cpu_s", limits.cpu_s)?,
                address_space_bytes: limits.address_space_bytes,
                memory_bytes: limits.memory_bytes,
                processes: limits.processes,
                file_bytes: limits.file_bytes,
                folder_bytes: limits.folder_bytes,
                log_bytes: limits.log_bytes,
            },
        })
    }

    /// The folder of the built pages.
    #[must_use]
    pub fn pages(&self) -> PathBuf {
        self.serve.pages.clone().unwrap_or_else(|| cache().join("pages"))
    }

    /// The layers of the sandbox to do without.
    ///
    /// # Errors
    /// When a name is none of them.
    pub fn without(&self) -> Result<BTreeSet<Layer>> {
        self.sandbox.without.iter().map(|name| Ok(name.parse::<Layer>()?)).collect()
    }
}

/// Where set-up puts Blender.
fn default_python() -> PathBuf {
    cache().join("blender/bin/python")
}

/// The folder for what outlives a checkout.
#[must_use]
pub fn cache() -> PathBuf {
    std::env::var_os("MESHMARK_CACHE").map_or_else(
        || std::env::var_os("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from).join(".cache/meshmark"),
        PathBuf::from,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Config> {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("meshmark.toml");
        fs::write(&path, text).unwrap();
        Config::load(Some(&path))
    }

    #[test]
    fn what_is_not_said_has_its_default() {
        let config = load("[limits]\nscript_wall_s = 20").unwrap();
        let limits = config.runner_limits().unwrap();
        assert_eq!(limits.script, Duration::from_secs(20));
        assert_eq!(limits.export, runner::Limits::default().export);
        assert!(matches!(config.backend().unwrap(), Backend::Bpy { .. }));
        let config = load("[blender]\nbinary = '/opt/blender'").unwrap();
        assert_eq!(config.backend().unwrap(), Backend::Binary { blender: "/opt/blender".into() });
    }

    #[test]
    fn what_nobody_understands_is_refused_with_its_place() {
        for (text, said) in [
            ("[limits]\nscript_walls = 3", "script_walls"),
            ("[limits]\ncpu_s = -1", "cpu_s"),
            ("[limits]\ncpu_s = nan", "cpu_s"),
            ("[sandbox]\nwithout = ['files']", "files"),
            ("[blender]\nbackend = 'maya'", "maya"),
            ("[serve", "line 1"),
        ] {
            let message = format!("{:#}", load(text).unwrap_err());
            assert!(message.contains(said), "{text}: {message}");
        }
        assert!(load("[blender]\nbackend = 'blender'").unwrap().backend().is_err());
    }
}
