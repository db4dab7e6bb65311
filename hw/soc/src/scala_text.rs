//! What a cluster is made of: the parts of VexRiscv in Scala that it needs, and what is
//! changed in them.
//!
//! Every change is a text that must occur once: another version is refused, not half
//! changed.

use crate::error::Error;

/// The files, below the package's folder: what `cluster/Cluster.scala` names, and what
/// those need.
pub(crate) const FILES: [&str; 37] = [
    "Pipeline.scala",
    "Riscv.scala",
    "Services.scala",
    "Stage.scala",
    "VexRiscv.scala",
    "VexRiscvBmbGenerator.scala",
    DATA_CACHE,
    INSTRUCTION_CACHE,
    "ip/fpu/FpuCore.scala",
    "ip/fpu/FpuDiv.scala",
    "ip/fpu/FpuSqrt.scala",
    "ip/fpu/Interface.scala",
    "plugin/BranchPlugin.scala",
    "plugin/CsrPlugin.scala",
    "plugin/DBusCachedPlugin.scala",
    "plugin/DBusSimplePlugin.scala",
    "plugin/DebugPlugin.scala",
    DECODER,
    "plugin/DivPlugin.scala",
    "plugin/ExternalInterruptArrayPlugin.scala",
    "plugin/Fetcher.scala",
    "plugin/FpuPlugin.scala",
    "plugin/HazardSimplePlugin.scala",
    "plugin/IBusCachedPlugin.scala",
    "plugin/IBusSimplePlugin.scala",
    "plugin/IntAluPlugin.scala",
    "plugin/MemoryTranslatorPlugin.scala",
    "plugin/Misc.scala",
    "plugin/MmuPlugin.scala",
    "plugin/MulDivIterativePlugin.scala",
    "plugin/MulPlugin.scala",
    "plugin/Plugin.scala",
    "plugin/PmpPlugin.scala",
    "plugin/RegFilePlugin.scala",
    "plugin/ShiftPlugins.scala",
    "plugin/SrcPlugin.scala",
    "plugin/StaticMemoryTranslatorPlugin.scala",
];

const DATA_CACHE: &str = "ip/DataCache.scala";
const INSTRUCTION_CACHE: &str = "ip/InstructionCache.scala";
const DECODER: &str = "plugin/DecoderSimplePlugin.scala";

/// One replacement.
struct Change {
    file: &'static str,
    text: &'static str,
    by: &'static str,
}

const CHANGES: [Change; 4] = [
    // Enforces the PMP on accesses that bypass the cache: those of I/O, and every LR, SC and
    // AMO. As published these report errors of the bus only, so user mode reads all RAM and
    // all devices with LR, and changes them with AMO and SC. A refused access stays off the bus.
    // With paging the fault is a page fault, reported beside this signal.
    Change {
        file: DATA_CACHE,
        text: "io.cpu.writeBack.accessError := !request.wr && isLast && io.mem.rsp.valid && io.mem.rsp.error",
        by: "io.cpu.writeBack.accessError := (!request.wr && isLast && io.mem.rsp.valid && io.mem.rsp.error) || (loadStoreFault && !mmuRsp.isPaging)",
    },
    // Keeps a refused instruction fetch off the bus: it is no miss, but the error alone.
    Change {
        file: INSTRUCTION_CACHE,
        text: "io.cpu.decode.cacheMiss := !hit.valid",
        by: "io.cpu.decode.cacheMiss := !hit.valid && (mmuRsp.isPaging || mmuRsp.allowExecute)",
    },
    // The decoder has a program beside it that measures it in a demonstration, which needs much
    // that is not here.
    Change {
        file: DECODER,
        text: "import vexriscv.demo.GenFull\n",
        by: "",
    },
    Change {
        file: DECODER,
        text: "val top = GenFull.cpu()",
        by: "val top : VexRiscv = ???",
    },
];

/// The text of a file as it is compiled.
///
/// # Errors
/// The text is not that of the pinned version.
pub(crate) fn adapt(file: &str, mut scala: String) -> Result<String, Error> {
    for change in CHANGES.iter().filter(|change| change.file == file) {
        let found = scala.matches(change.text).count();
        if found != 1 {
            return Err(Error::Core {
                place: change.file.into(),
                text: change.text.into(),
                found,
                expected: 1,
            });
        }
        scala = scala.replace(change.text, change.by);
    }
    Ok(scala)
}

/// Files and changes, for the name of what is made of them.
pub(crate) fn identity() -> impl Iterator<Item = &'static str> {
    let changes = CHANGES.iter();
    FILES
        .into_iter()
        .chain(changes.flat_map(|change| [change.file, change.text, change.by]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYPASS: &str = "when(bypassCache){\n  io.cpu.writeBack.accessError := !request.wr && isLast && io.mem.rsp.valid && io.mem.rsp.error\n}\n";

    #[test]
    fn a_refused_access_past_the_cache_is_an_error() {
        let mended = adapt(DATA_CACHE, BYPASS.into()).unwrap();
        assert!(
            mended.contains("io.mem.rsp.error) || (loadStoreFault && !mmuRsp.isPaging)\n"),
            "{mended}"
        );
    }

    #[test]
    fn another_text_is_refused() {
        let mended = adapt(DATA_CACHE, BYPASS.into()).unwrap();
        for (text, found) in [(mended, 0), (BYPASS.repeat(2), 2)] {
            let error = adapt(DATA_CACHE, text).unwrap_err().to_string();
            assert!(
                error.contains(&format!(
                    "{found} times `io.cpu.writeBack.accessError := !request.wr"
                )) && error.contains("in ip/DataCache.scala, not 1 times"),
                "{error}"
            );
        }
        for file in [INSTRUCTION_CACHE, DECODER] {
            assert!(adapt(file, String::new()).is_err(), "{file}");
        }
    }

    #[test]
    fn files_without_a_change_stay_as_they_are() {
        let text = "object Riscv {}\n";
        assert_eq!(adapt("Riscv.scala", text.into()).unwrap(), text);
    }

    #[test]
    fn every_change_is_of_a_file_that_is_compiled() {
        assert!(CHANGES.iter().all(|change| FILES.contains(&change.file)));
    }
}
