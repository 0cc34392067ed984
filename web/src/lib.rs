//! What browsers run: core's formulas for a worker, and a renderer for the page.
//!
//! - `renderer`: a mesh as pixels
//! - `bindings`: everything of wasm-bindgen, thin; `scores` and `views` are two modules, each a build of its own
//!
//! Not here, ever: a scoring formula, a server.

#[cfg(target_arch = "wasm32")]
mod bindings;
#[cfg(feature = "views")]
pub mod renderer;
