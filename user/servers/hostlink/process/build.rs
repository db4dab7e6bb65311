//! Copies the identifiers of the system that the process is built for. On the host
//! there is no system, and the table of replaceable programs is empty.

use std::path::PathBuf;
use std::{env, fs};

const NONE: &str = "/// The host has no system.\n\
    pub const LOADABLE: &[(&str, u16, &str, [u32; 6], &[u8], bool)] = &[];\n\
    /// The host has no system.\n\
    pub const MODULES: &[(&str, &str, &[u8])] = &[];\n\
    /// The host has no system.\n\
    pub const FIRST_DEVICES: &[(u16, &str, &str)] = &[];\n\
    /// The host has no system.\n\
    pub const HOSTLINK_KEY: Option<[u8; 32]> = None;\n\
    /// The host has no system.\n\
    pub const HOSTLINK_SEED: u64 = 0;\n";

fn main() {
    println!("cargo::rerun-if-env-changed=GIORNATA_IDENTIFIERS");
    let text = match env::var_os("GIORNATA_IDENTIFIERS") {
        None => NONE.to_owned(),
        Some(path) => {
            println!("cargo::rerun-if-changed={}", path.display());
            fs::read_to_string(&path).expect("the identifiers of the system")
        }
    };
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    fs::write(folder.join("identifiers.rs"), text).expect("a file in the folder for it");
}
