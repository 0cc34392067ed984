//! What `cargo demo` and `cargo verify` are made of. They drive the built programs as a user would and link
//! nothing heavy, so that they start in seconds.
//!
//! - [`place`]: where the checkout and the caches are
//! - [`screen`]: what people see, and how commands are run
//! - [`setup`]: brings a fresh machine to where everything runs; a new need gets a file there
//! - [`stamp`]: tells whether anything changed since a stage last passed
//! - [`build`]: the `meshmark` program, the two wasm modules, the pages
//! - [`sample`]: the evaluated sample set
//! - [`stage`]: the stages of `cargo verify`, in their order

pub mod build;
pub mod place;
pub mod sample;
pub mod screen;
pub mod setup;
pub mod stage;
pub mod stamp;
