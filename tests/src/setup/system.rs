//! What only the system's package manager can give.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Result, bail};

use crate::screen;

/// A Debian package, and a way to see that what we want of it is there however it got there.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    name: &'static str,
    why: &'static str,
    there: fn() -> bool,
}

/// For running programs that nobody trusts.
pub const SANDBOX: &[Package] =
    &[Package { name: "bubblewrap", why: "keeps strangers' programs in", there: || screen::has_program("bwrap") }];

/// Shared libraries that Blender is linked with.
pub const BLENDER: &[Package] = &[
    Package { name: "libxi6", why: "Blender is linked with it", there: || has_library("libXi.so.6") },
    Package { name: "libxfixes3", why: "Blender is linked with it", there: || has_library("libXfixes.so.3") },
    Package { name: "libxrender1", why: "Blender is linked with it", there: || has_library("libXrender.so.1") },
    Package { name: "libxkbcommon0", why: "Blender is linked with it", there: || has_library("libxkbcommon.so.0") },
    Package { name: "libsm6", why: "Blender is linked with it", there: || has_library("libSM.so.6") },
    Package { name: "libgl1", why: "Blender is linked with it", there: || has_library("libGL.so.1") },
    Package { name: "libegl1", why: "Blender's quick views draw with it", there: || has_library("libEGL.so.1") },
    Package {
        name: "libegl-mesa0",
        why: "Blender's quick views draw with it",
        there: || has_library("libEGL_mesa.so.0"),
    },
    Package {
        name: "libgl1-mesa-dri",
        why: "Blender's quick views draw with it",
        there: || {
            let mut folders = LIBRARY_FOLDERS.iter().map(|folder| Path::new(folder).join("dri/swrast_dri.so"));
            folders.any(|file| file.exists()) || has_library("libgallium.so")
        },
    },
];

/// For the tests in a browser.
pub const BROWSER: &[Package] = &[
    Package {
        name: "chromium",
        why: "the pages are tested in it",
        there: || ["chromium", "chromium-browser", "google-chrome"].iter().any(|name| screen::has_program(name)),
    },
    Package {
        name: "mesa-vulkan-drivers",
        why: "draws with Vulkan where there is no GPU",
        there: || {
            ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"]
                .iter()
                .filter_map(|folder| std::fs::read_dir(folder).ok())
                .flatten()
                .flatten()
                .any(|entry| entry.file_name().to_string_lossy().starts_with("lvp_icd"))
        },
    },
];

/// For making a Python environment with Debian's own Python.
pub const PYTHON: &[Package] =
    &[Package { name: "python3-venv", why: "holds Blender and the libraries of programs", there: || false }];

const LIBRARY_FOLDERS: &[&str] =
    &["/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// Those of `wanted` that are not there.
#[must_use]
pub fn missing(wanted: &[Package]) -> Vec<Package> {
    wanted.iter().copied().filter(|package| !(package.there)()).collect()
}

/// Installs packages when we may.
///
/// # Errors
/// When we may not, or the package manager fails: the message has the command to type.
pub fn install(packages: &[Package]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = packages.iter().map(|package| package.name).collect();
    let by_hand = format!("apt-get install {}", names.join(" "));
    if !screen::has_program("apt-get") {
        bail!(
            "these are missing and this system has no apt-get: {}. Install them with its own package manager",
            names.join(", ")
        );
    }
    if !is_root() {
        let reasons: Vec<_> = packages.iter().map(|p| format!("  {}: {}", p.name, p.why)).collect();
        bail!("some system packages are missing:\n{}\nInstall them with: sudo {by_hand}", reasons.join("\n"));
    }
    screen::step(&format!("installing {}", names.join(", ")), "system packages", || {
        // The package lists of a fresh machine are old or absent.
        screen::quietly(apt().arg("update"))?;
        screen::quietly(apt().args(["install", "-y", "--no-install-recommends"]).args(&names))
    })
}

fn apt() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").arg("-q");
    command
}

fn has_library(name: &str) -> bool {
    LIBRARY_FOLDERS.iter().any(|folder| {
        std::fs::read_dir(folder)
            .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(name)))
    })
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "0")
}
