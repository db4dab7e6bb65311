//! Links the kernel for a machine: the script's memory comes from the board's file.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=kernel.ld");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none") {
        let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
        println!("cargo:rustc-link-search={}", root.display());
        println!("cargo:rustc-link-arg-bins=-Tkernel.ld");
        println!("cargo:rustc-link-arg-bins=--gc-sections");
    }
}
