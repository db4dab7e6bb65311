//! Regions of memory that processes share: how large each is, and who may write it
//! or read it.

use crate::config::{self, PROCESSES};
use crate::file::{Spanned, SystemFile};
use crate::problem::{Findings, suggest};
use crate::section::Section;
use giornata_abi::system::{REGION_READ, REGION_WRITE, REGIONS};
use std::fmt;

/// The least that can be shared on every board.
const LEAST: u32 = 4096;
/// The most: as far from one to the next as addresses are translated.
pub(crate) const MOST: u32 = 1 << 24;

/// `[region.*]`
#[derive(Clone, Debug)]
pub struct RegionSection {
    /// Its name.
    pub name: Spanned<String>,
    /// Bytes.
    pub size: Spanned<u64>,
}

/// A region of memory that processes share.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Bytes: a power of two, whole pages.
    pub size: u32,
    /// By process: `REGION_` bits.
    pub grants: Vec<u16>,
}

impl Region {
    /// What a process may do with it.
    pub fn granted(&self, process: u16) -> u16 {
        let granted = self.grants.get(usize::from(process));
        granted.copied().unwrap_or(0)
    }
}

/// Name and size.
impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "region {}, {} bytes", self.name, self.size)
    }
}

/// What a system file calls a right to a region.
pub(crate) fn right(bits: u16) -> &'static str {
    match bits & REGION_WRITE {
        0 => "read",
        _ => "write",
    }
}

/// Reads the section of one region.
pub(crate) fn section(
    findings: &mut Findings,
    name: Spanned<String>,
    section: &Section<'_>,
) -> Option<RegionSection> {
    if !section.has("size") {
        let reason = format!("region `{}` does not say its size", name.get_ref());
        findings.refuse(section.span(), reason, "add `size = \"4K\"`");
    }
    let size = section.size(findings, "size")?;
    if !(1..=u64::from(MOST)).contains(size.get_ref()) {
        let reason = format!("a region of {} bytes", size.get_ref());
        let mend = "write 1 byte to 16M: share more in several regions";
        findings.refuse(size.span(), reason, mend);
        return None;
    }
    Some(RegionSection { name, size })
}

/// All regions, with what each process may do with them.
pub(crate) fn resolve(findings: &mut Findings, file: &SystemFile) -> Vec<Region> {
    check_config(findings, file);
    let region = |section: &RegionSection| Region {
        name: section.name.get_ref().clone(),
        size: (*section.size.get_ref() as u32)
            .max(LEAST)
            .next_power_of_two(),
        grants: vec![0; file.processes.len()],
    };
    let mut regions: Vec<Region> = file.regions.iter().map(region).collect();
    let before = findings.count();
    for (index, process) in file.processes.iter().enumerate() {
        for (name, writes) in &process.grants.regions {
            grant(findings, &mut regions, index, name, *writes);
        }
    }
    // who is granted nothing may have been meant by a grant that names nothing
    if findings.count() == before {
        check_writers(findings, file, &regions);
    }
    if let Some(over) = file.regions.get(usize::from(REGIONS)) {
        let reason = format!("there are {} regions", regions.len());
        let mend = format!("{REGIONS} are the most: share a larger one in their stead");
        findings.refuse(over.name.span(), reason, mend);
    }
    regions
}

fn grant(
    findings: &mut Findings,
    regions: &mut [Region],
    process: usize,
    name: &Spanned<String>,
    writes: bool,
) {
    let text = name.get_ref();
    let found = regions.iter_mut().find(|region| region.name == *text);
    if let Some(granted) = found.and_then(|region| region.grants.get_mut(process)) {
        *granted = REGION_READ | if writes { REGION_WRITE } else { 0 };
        return;
    }
    let known = regions.iter().map(|region| region.name.as_str());
    let reason = format!("there is no region `{text}`");
    findings.refuse(name.span(), reason, suggest(text, known));
}

/// Only kernels that have shared memory know regions.
fn check_config(findings: &mut Findings, file: &SystemFile) {
    let config = file.kernel.config.get_ref();
    if config::has(config, PROCESSES) {
        return;
    }
    for region in &file.regions {
        let name = region.name.get_ref();
        let reason = format!("configuration \"{config}\" has no regions like `{name}`");
        findings.refuse(region.name.span(), reason, config::mend(file, PROCESSES));
    }
}

/// What nobody writes holds zeroes for ever.
fn check_writers(findings: &mut Findings, file: &SystemFile, regions: &[Region]) {
    for (section, region) in file.regions.iter().zip(regions) {
        if region.grants.iter().all(|bits| bits & REGION_WRITE == 0) {
            let name = &region.name;
            let reason = format!("no process may write region `{name}`");
            let mend = format!(
                "grant it to those that do: `grants = {{ region = {{ {name} = \"write\" }} }}`"
            );
            findings.refuse(section.name.span(), reason, mend);
        }
    }
}
