//! Where Blender is, what a sandbox must show of it, and how it is started.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use meshmark_core::bundle::sha256;

use crate::sandbox::Mount;

/// Which Blender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// The `bpy` module in a virtual environment, by the environment's Python.
    Bpy {
        /// Such as `…/blender/bin/python`.
        python: PathBuf,
    },
    /// A `blender` program.
    Binary {
        /// The program.
        blender: PathBuf,
    },
}

/// Paths inside the sandbox.
const PACKAGES: &str = "/blender/packages";
const PYTHON: &str = "/blender/python";
const BINARY: &str = "/blender";

/// A Blender made ready for the sandbox.
#[derive(Debug)]
pub(super) struct Environment {
    /// What comes before the path of a script.
    launch: Vec<OsString>,
    /// What comes between a script and its arguments.
    separator: Option<&'static str>,
    /// What must be readable inside.
    pub readable: Vec<Mount>,
    /// Variables it needs.
    pub env: Vec<(String, String)>,
    /// Versions, by name.
    pub tools: BTreeMap<String, String>,
}

impl Environment {
    /// Finds out all of it.
    ///
    /// # Errors
    /// When Blender is not there or not what it should be; the message says how to get it.
    pub fn of(backend: &Backend) -> Result<Self> {
        match backend {
            Backend::Bpy { python } => of_module(python),
            Backend::Binary { blender } => of_binary(blender),
        }
    }

    /// The command that runs a script (a path inside) with one argument.
    pub fn argv(&self, script: &str, argument: &str) -> Vec<OsString> {
        let mut argv = self.launch.clone();
        argv.push(script.into());
        argv.extend(self.separator.map(Into::into));
        argv.push(argument.into());
        argv
    }
}

fn of_module(python: &Path) -> Result<Environment> {
    let missing = || {
        format!(
            "there is no Blender at {}: `cargo demo` or `cargo verify` installs it, or name one with `python` \
                 under `[blender]` of the configuration",
            python.display()
        )
    };
    let home = python.parent().and_then(Path::parent).with_context(missing)?;
    let home = home.canonicalize().with_context(missing)?;
    let settings = fs::read_to_string(home.join("pyvenv.cfg"))
        .with_context(|| format!("{} is not a Python environment", home.display()))?;
    let setting = |name: &str| {
        settings
            .lines()
            .find_map(|line| line.split_once('=').filter(|(key, _)| key.trim() == name))
            .map(|(_, v)| v.trim())
    };
    let base_bin = PathBuf::from(setting("home").context("pyvenv.cfg names no home")?);
    let packages = one_folder(&home.join("lib"), "python3")?.join("site-packages");
    let versions = versions_of(&packages)?;
    let Some(bpy) = versions.get("bpy") else { bail!(missing()) };

    let base = base_bin.parent().context("Python's home has no parent")?.canonicalize()?;
    let interpreter = base_interpreter(&base)?;
    let mut readable = vec![Mount { host: packages, inside: PACKAGES.into() }];
    let mut env = vec![("PYTHONPATH".to_owned(), PACKAGES.to_owned())];
    let launch = if base.starts_with("/usr") {
        base.join("bin").join(&interpreter)
    } else {
        readable.push(Mount { host: base, inside: PYTHON.into() });
        // For a Python that is built with a shared library and finds it by the place where it was installed.
        env.push(("LD_LIBRARY_PATH".to_owned(), format!("{PYTHON}/lib")));
        Path::new(PYTHON).join("bin").join(&interpreter)
    };
    let mut tools = BTreeMap::from([("blender".to_owned(), bpy.clone())]);
    let listed: String = versions.iter().map(|(name, version)| format!("{name}=={version}\n")).collect();
    tools.insert("python_packages_sha256".to_owned(), sha256(listed.as_bytes()));
    if let Some(version) = setting("version").or(setting("version_info")) {
        tools.insert("python".to_owned(), version.to_owned());
    }
    for name in ["numpy", "scipy", "scikit-image", "shapely", "trimesh"] {
        if let Some(version) = versions.get(name) {
            tools.insert(name.to_owned(), version.clone());
        }
    }
    Ok(Environment { launch: vec![launch.into()], separator: None, readable, env, tools })
}

/// `python3.11` rather than `python3`, which may be another tomorrow.
fn base_interpreter(base: &Path) -> Result<String> {
    ["python3.11", "python3"]
        .into_iter()
        .find(|name| base.join("bin").join(name).is_file())
        .map(str::to_owned)
        .with_context(|| format!("there is no Python in {}", base.join("bin").display()))
}

fn one_folder(parent: &Path, prefix: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(parent).with_context(|| format!("{} can't be read", parent.display()))?;
    entries
        .flatten()
        .find(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .with_context(|| format!("{} has no folder {prefix}…", parent.display()))
}

/// Name and version of every package in a `site-packages`, by the folders that installers leave.
fn versions_of(packages: &Path) -> Result<BTreeMap<String, String>> {
    let entries = fs::read_dir(packages).with_context(|| format!("{} can't be read", packages.display()))?;
    Ok(entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let (name, version) = name.strip_suffix(".dist-info")?.split_once('-')?;
            Some((name.to_lowercase().replace('_', "-"), version.to_owned()))
        })
        .collect())
}

fn of_binary(blender: &Path) -> Result<Environment> {
    let place = blender.canonicalize().with_context(|| {
        format!(
            "there is no Blender at {}: name one with `--blender`, or leave it out for the one installed here",
            blender.display()
        )
    })?;
    let folder = place.parent().context("the Blender program has no folder")?.to_owned();
    let name = place.file_name().context("the Blender program has no name")?;
    let output = Command::new(&place)
        .arg("--version")
        .stderr(Stdio::null())
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{} does not start", place.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let version = said.lines().find_map(|line| line.trim().strip_prefix("Blender ")).map(str::trim);
    let Some(version) = version else { bail!("{} does not say that it is Blender", place.display()) };
    // A system's Blender is in the sandbox already, with the files it needs elsewhere.
    let (inside, readable) = if folder.starts_with("/usr") {
        (folder.join(name), Vec::new())
    } else {
        (Path::new(BINARY).join(name), vec![Mount { host: folder, inside: BINARY.into() }])
    };
    let mut launch: Vec<OsString> = vec![inside.into()];
    launch.extend(["--background", "--factory-startup", "--python"].map(OsString::from));
    Ok(Environment {
        launch,
        separator: Some("--"),
        readable,
        env: Vec::new(),
        tools: BTreeMap::from([("blender".to_owned(), version.to_owned())]),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn environment(scratch: &Path, base: &str) -> PathBuf {
        let home = scratch.join("venv");
        let packages = home.join("lib/python3.11/site-packages");
        for package in ["bpy-5.0.1", "numpy-1.26.4", "lazy_loader-0.6"] {
            fs::create_dir_all(packages.join(format!("{package}.dist-info"))).unwrap();
        }
        fs::write(home.join("pyvenv.cfg"), format!("home = {base}\nversion = 3.11.2\n")).unwrap();
        home.join("bin/python")
    }

    #[test]
    fn the_module_is_shown_with_its_python() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().join("base");
        fs::create_dir_all(base.join("bin")).unwrap();
        fs::write(base.join("bin/python3.11"), "").unwrap();
        let python = environment(scratch.path(), base.join("bin").to_str().unwrap());
        let found = Environment::of(&Backend::Bpy { python }).unwrap();
        assert_eq!(found.argv("/s.py", "{}"), ["/blender/python/bin/python3.11", "/s.py", "{}"]);
        assert_eq!(found.readable.len(), 2);
        assert_eq!(found.tools["blender"], "5.0.1");
        assert_eq!(found.tools["python"], "3.11.2");
        assert_eq!(found.tools["python_packages_sha256"], sha256(b"bpy==5.0.1\nlazy-loader==0.6\nnumpy==1.26.4\n"));
    }

    #[test]
    fn a_binary_is_asked_for_its_version() {
        let scratch = tempfile::tempdir().unwrap();
        let blender = scratch.path().join("blender");
        fs::write(&blender, "#!/bin/sh\necho 'Blender 5.0.1'\n").unwrap();
        fs::set_permissions(&blender, fs::Permissions::from_mode(0o755)).unwrap();
        let found = Environment::of(&Backend::Binary { blender }).unwrap();
        let argv = found.argv("/s.py", "{}");
        assert_eq!(argv, ["/blender/blender", "--background", "--factory-startup", "--python", "/s.py", "--", "{}"]);
        assert_eq!(found.tools["blender"], "5.0.1");
    }

    #[test]
    fn what_is_missing_is_named_with_its_remedy() {
        let nowhere = PathBuf::from("/nowhere/bin/python");
        let message = Environment::of(&Backend::Bpy { python: nowhere }).unwrap_err().to_string();
        assert!(message.contains("/nowhere/bin/python") && message.contains("cargo verify"), "{message}");
        let message = Environment::of(&Backend::Binary { blender: "/nowhere/blender".into() }).unwrap_err().to_string();
        assert!(message.contains("--blender"), "{message}");
    }
}
