//! The names of system.toml, as constants.

fn main() {
    giornata_build::identifiers("system.toml");
}
