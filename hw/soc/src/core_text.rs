//! What is changed in the core's Verilog before it is built.
//!
//! Every change is a text that must occur exactly so many times: another version
//! of the core is refused, not half changed.

use crate::error::Error;
use crate::{Caches, Core};

/// Bytes of a cache line, as a power of two.
const LINE: u32 = 5;
/// Bytes of a cache as shipped, as a power of two.
const SHIPPED: u32 = Caches::Shipped.bytes().ilog2();
/// Bytes of a large cache, as a power of two.
const LARGE: u32 = Caches::Large.bytes().ilog2();

/// One replacement within a module.
struct Change {
    text: String,
    by: String,
    times: usize,
}

/// The core's text as it is built.
///
/// # Errors
/// The text is not that of the pinned version.
pub(crate) fn adapt(verilog: String, core: Core, caches: Caches) -> Result<String, Error> {
    let verilog = match core {
        Core::Mmu => verilog,
        Core::Pmp => mend_fetch(mend_bypass(mend_region_mask(verilog)?)?)?,
        // (its text in Scala has been changed: `scala_text`)
        Core::Smp(_) => return Ok(verilog),
    };
    match caches {
        Caches::Shipped => Ok(verilog),
        Caches::Large => enlarge_caches(verilog, LARGE),
    }
}

/// Lets a PMP region cover all of its size.
///
/// `ones` are the trailing ones of a NAPOT address of n bits, bit 0 for byte
/// address bit 2. A region spans them and the 0 above them, that is the ones
/// moved up by one bit; as published the mask takes them moved down by one, and
/// each region covers a quarter of its size. Bit 0 of the mask, which compares
/// byte address bit 7, is open always: the granularity is 256 bytes.
fn mend_region_mask(verilog: String) -> Result<String, Error> {
    let change = Change {
        text: "assign io_mask = (~ ones[30 : 6]);".into(),
        by: "assign io_mask = (~ {ones[28 : 5],1'b1});".into(),
        times: 1,
    };
    change_module(verilog, "PmpSetter", &[change])
}

/// Enforces the PMP on data accesses that bypass the cache.
///
/// Those are all accesses with address bit 31 set. The cache reports a refused access
/// as an access error, which traps and keeps it off the bus; as published, its bypass
/// path reports errors of the bus only, so user mode reaches every device. The term
/// added is the one that the other path has. Without paging it is the only report;
/// with paging the fault is a page fault, reported beside this signal.
fn mend_bypass(verilog: String) -> Result<String, Error> {
    let bus = "(((! stageB_request_wr) && 1'b1) && io_mem_rsp_valid) && io_mem_rsp_payload_error";
    let refused = "stageB_loadStoreFault && (! stageB_mmuRsp_isPaging)";
    let change = Change {
        text: format!("io_cpu_writeBack_accessError = ({bus});"),
        by: format!("io_cpu_writeBack_accessError = (({bus}) || ({refused}));"),
        times: 1,
    };
    change_module(verilog, "DataCache", &[change])
}

/// Keeps a refused instruction fetch off the bus.
///
/// As published, a line that is not in the cache is loaded first and the PMP asked
/// after that, so user mode reads the bus wherever it jumps. Where nothing replies
/// to a fetch, as in a device, the core waits for ever. A fetch that the PMP refuses
/// is no miss now: it is the error alone, as it is for a line that is in the cache.
fn mend_fetch(verilog: String) -> Result<String, Error> {
    let allowed = "(decodeStage_mmuRsp_isPaging || decodeStage_mmuRsp_allowExecute)";
    let change = Change {
        text: "assign io_cpu_decode_cacheMiss = (! decodeStage_hit_valid);".into(),
        by: format!("assign io_cpu_decode_cacheMiss = ((! decodeStage_hit_valid) && {allowed});"),
        times: 1,
    };
    change_module(verilog, "InstructionCache", &[change])
}

/// Makes both caches 2^`size` bytes large, direct mapped as before.
fn enlarge_caches(verilog: String, size: u32) -> Result<String, Error> {
    let verilog = change_module(verilog, "InstructionCache", &instruction_cache(size))?;
    change_module(verilog, "DataCache", &data_cache(size))
}

fn instruction_cache(size: u32) -> Vec<Change> {
    let mut changes = vec![
        address_bits(LINE, size, 3),
        address_bits(2, size, 1),
        entries(SHIPPED - LINE, size - LINE, 1),
        entries(SHIPPED - 2, size - 2, 1),
        counter_bits("lineLoader_flushCounter", " : ", size, 1),
        counter_top("lineLoader_flushCounter", size, 5),
        declaration("lineLoader_flushCounter", LINE - 1, size),
    ];
    let by_line = [
        "lineLoader_write_tag_0_payload_address",
        "_zz_fetchStage_read_waysValues_0_tag_valid",
    ];
    let by_word = [
        "lineLoader_write_data_0_payload_address",
        "_zz_fetchStage_read_banksValue_0_dataMem",
    ];
    changes.extend(by_line.map(|name| declaration(name, LINE, size)));
    changes.extend(by_word.map(|name| declaration(name, 2, size)));
    changes
}

fn data_cache(size: u32) -> Vec<Change> {
    let mut changes = vec![
        address_bits(LINE, size, 3),
        address_bits(2, size, 4),
        entries(SHIPPED - LINE, size - LINE, 1),
        entries(SHIPPED - 2, size - 2, 4),
        counter_bits("stageB_flusher_counter", ":", size, 1),
        counter_top("stageB_flusher_counter", size, 2),
        declaration("stageB_flusher_counter", LINE - 1, size),
    ];
    let by_line = [
        "tagsReadCmd_payload",
        "tagsWriteCmd_payload_address",
        "tagsWriteLastCmd_payload_address",
    ];
    let by_word = [
        "_zz_stage0_dataColisions",
        "_zz__zz_stageA_dataColisions",
        "dataReadCmd_payload",
        "dataWriteCmd_payload_address",
    ];
    changes.extend(by_line.map(|name| declaration(name, LINE, size)));
    changes.extend(by_word.map(|name| declaration(name, 2, size)));
    changes
}

/// The bits of an address, from `low`, that choose a line or a word of the cache.
fn address_bits(low: u32, size: u32, times: usize) -> Change {
    let bits = |size: u32| format!("[{} : {low}]", size - 1);
    Change {
        text: bits(SHIPPED),
        by: bits(size),
        times,
    }
}

/// A memory of 2^`old` entries becomes one of 2^`new`.
fn entries(old: u32, new: u32, times: usize) -> Change {
    let range = |width: u32| format!("[0:{}]", (1u32 << width) - 1);
    Change {
        text: range(old),
        by: range(new),
        times,
    }
}

/// A signal that holds address bits from `low` up.
fn declaration(name: &str, low: u32, size: u32) -> Change {
    let text = |size: u32| format!("{:<8} {name};", format!("[{}:0]", size - low - 1));
    Change {
        text: text(SHIPPED),
        by: text(size),
        times: 1,
    }
}

/// The bits of a flush counter that name a line.
fn counter_bits(name: &str, colon: &str, size: u32, times: usize) -> Change {
    let text = |size: u32| format!("{name}[{}{colon}0]", size - LINE - 1);
    Change {
        text: text(SHIPPED),
        by: text(size),
        times,
    }
}

/// The bit of a flush counter that says that all lines have been flushed.
fn counter_top(name: &str, size: u32, times: usize) -> Change {
    let text = |size: u32| format!("{name}[{}]", size - LINE);
    Change {
        text: text(SHIPPED),
        by: text(size),
        times,
    }
}

fn change_module(
    mut verilog: String,
    module: &'static str,
    changes: &[Change],
) -> Result<String, Error> {
    let place = || format!("module {module}");
    let missing = || Error::Core {
        place: place(),
        text: format!("module {module} ("),
        found: 0,
        expected: 1,
    };
    let start = verilog
        .find(&format!("module {module} ("))
        .ok_or_else(missing)?;
    let length = verilog[start..].find("endmodule").ok_or_else(missing)?;
    let mut body = verilog[start..start + length].to_string();
    for change in changes {
        let found = body.matches(&change.text).count();
        if found != change.times {
            return Err(Error::Core {
                place: place(),
                text: change.text.clone(),
                found,
                expected: change.times,
            });
        }
        body = body.replace(&change.text, &change.by);
    }
    verilog.replace_range(start..start + length, &body);
    Ok(verilog)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTER: &str = "module PmpSetter (\n  assign io_mask = (~ ones[30 : 6]);\nendmodule\n";

    #[test]
    fn mended_mask_covers_the_zero_above_the_ones() {
        let mended = mend_region_mask(SETTER.into()).unwrap();
        assert!(mended.contains("assign io_mask = (~ {ones[28 : 5],1'b1});"));
    }

    #[test]
    fn a_core_without_the_mask_to_mend_is_refused() {
        let other = SETTER.replace("30 : 6", "28 : 4");
        let error = mend_region_mask(other).unwrap_err().to_string();
        assert!(
            error.contains("0 times `assign io_mask = (~ ones[30 : 6]);`"),
            "{error}"
        );
    }

    /// The bypass path of the data cache, and the other one.
    const BYPASS: &str = "      io_cpu_writeBack_accessError = ((((! stageB_request_wr) && 1'b1) \
        && io_mem_rsp_valid) && io_mem_rsp_payload_error);\n";
    const CACHED: &str = "      io_cpu_writeBack_accessError = (((stageB_waysHits & \
        stageB_tagsReadRsp_0_error) != 1'b0) || (stageB_loadStoreFault && \
        (! stageB_mmuRsp_isPaging)));\n";

    fn data_cache_with(lines: &[&str]) -> String {
        format!("module DataCache (\n{}endmodule\n", lines.concat())
    }

    #[test]
    fn mended_bypass_reports_what_the_cached_path_reports() {
        let mended = mend_bypass(data_cache_with(&[BYPASS, CACHED])).unwrap();
        let bypass = "io_cpu_writeBack_accessError = (((((! stageB_request_wr) && 1'b1) && \
            io_mem_rsp_valid) && io_mem_rsp_payload_error) || (stageB_loadStoreFault && \
            (! stageB_mmuRsp_isPaging)));\n";
        assert_eq!(
            mended,
            data_cache_with(&["      ", bypass, CACHED]),
            "the cached path stays as it is"
        );
    }

    #[test]
    fn a_core_without_the_bypass_to_mend_once_is_refused() {
        for (lines, found) in [(&[CACHED][..], 0), (&[BYPASS, CACHED, BYPASS][..], 2)] {
            let error = mend_bypass(data_cache_with(lines)).unwrap_err().to_string();
            let counted = format!("{found} times `io_cpu_writeBack_accessError = (");
            assert!(
                error.contains(&counted) && error.contains("in module DataCache, not 1 times"),
                "{error}"
            );
        }
    }

    const MISS: &str = "  assign io_cpu_decode_cacheMiss = (! decodeStage_hit_valid);\n";

    #[test]
    fn a_refused_fetch_is_no_miss() {
        let cache = format!("module InstructionCache (\n{MISS}endmodule\n");
        let mended = mend_fetch(cache.clone()).unwrap();
        assert!(
            mended.contains("((! decodeStage_hit_valid) && (decodeStage_mmuRsp_isPaging || "),
            "{mended}"
        );
        let error = mend_fetch(mended).unwrap_err().to_string();
        assert!(
            error.contains("has 0 times `assign io_cpu_decode_cacheMiss"),
            "{error}"
        );
    }

    #[test]
    fn a_change_stays_within_its_module() {
        let two = "module A (\n x[11 : 5]\nendmodule\nmodule B (\n x[11 : 5]\nendmodule\n";
        let changed = change_module(two.into(), "B", &[address_bits(LINE, LARGE, 1)]).unwrap();
        assert_eq!(
            changed,
            "module A (\n x[11 : 5]\nendmodule\nmodule B (\n x[15 : 5]\nendmodule\n"
        );
    }

    #[test]
    fn widths_follow_from_the_size_of_the_cache() {
        let change = declaration("tagsReadCmd_payload", LINE, LARGE);
        assert_eq!(change.text, "[6:0]    tagsReadCmd_payload;");
        assert_eq!(change.by, "[10:0]   tagsReadCmd_payload;");
        let change = declaration("counter", LINE - 1, LARGE);
        assert_eq!(
            (change.text.as_str(), change.by.as_str()),
            ("[7:0]    counter;", "[11:0]   counter;")
        );
        assert_eq!(entries(SHIPPED - 2, LARGE - 2, 1).by, "[0:16383]");
        assert_eq!(counter_top("counter", LARGE, 1).by, "counter[11]");
    }
}
