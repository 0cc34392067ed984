//! Everything of wasm-bindgen stands in `web/src/bindings`.

use crate::{Breach, rust_paths, tree::Tree};

const CRATES: &[&str] = &["wasm_bindgen", "wasm_bindgen_futures", "js_sys", "web_sys", "serde_wasm_bindgen"];

pub const BROKEN: &[(&str, &str)] = &[
    ("web/src/renderer/camera.rs", "#[wasm_bindgen::prelude::wasm_bindgen] pub struct Camera;"),
    ("core/src/chamfer/mod.rs", "use wasm_bindgen::prelude::*;"),
    ("web/src/renderer/surface.rs", "fn f(c: web_sys::HtmlCanvasElement) {}"),
];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let rooms = ["core/src/", "web/src/", "server/src/"];
    for (file, text) in rooms.iter().flat_map(|room| tree.rust(room)) {
        if file.starts_with("web/src/bindings") {
            continue;
        }
        let inside = file.split_once("/src/").map_or(file, |(_, inside)| inside);
        for path in rust_paths::of(inside, text) {
            if path.first().is_some_and(|first| CRATES.contains(&first.as_str())) {
                breaches.push(Breach {
                    place: file.to_owned(),
                    message: format!("`{}` belongs in web/src/bindings", path.join("::")),
                });
            }
        }
    }
    breaches
}
