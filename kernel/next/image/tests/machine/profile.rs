//! temporary
use crate::boards::Board;
use crate::figures::{GENERATOR, process, thread};
use crate::plan::{Plan, Process, lay_out};
use giornata_abi::system::FaultPolicy;
use std::io::Write;

#[test]
fn profile() {
    let board = Board("rtl-pmp");
    let handler = Process { device: Some("generator"), ..process(vec![thread("figure_line", GENERATOR, 110)]) };
    let child = Process { supervisor: Some(0), on_fault: FaultPolicy::Stop, image: (512, 512), spares: 4, ..process(vec![thread("spin", 0, 50); 4]) };
    let supervisor = process(vec![thread("figure_process", 1, 100)]);
    let shared = |program, priority| Process { shared: true, ..process(vec![thread(program, 0, priority)]) };
    for (name, processes) in [
        ("kill", vec![supervisor, child, handler]),
        ("threads", vec![Process { spares: 3, ..process(vec![thread("figure_threads", 0, 100)]) }]),
        ("region", vec![shared("attaches", 110), shared("figure_region", 100)]),
    ] {
        let plan = Plan { processes, stop_at: 0 };
        let run = crate::run::on_chip_watched(board, &lay_out(board, &plan), 500_000);
        let mut out = std::io::BufWriter::new(std::fs::File::create(format!("/tmp/w/life-prof-{name}.txt")).unwrap());
        for p in &run.0 { writeln!(out, "P {} {:?}", p.cycle, p.sight).unwrap(); }
        for e in &run.1 { writeln!(out, "E {} {:x}", e.cycle, e.pc).unwrap(); }
    }
    println!("{}", board.build().kernel.display());
}
