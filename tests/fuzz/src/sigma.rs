//! Stream graphs: programs of Sigma and XML of SDF3, text of any kind.

use giornata_lang::sigma::{Counters, Format, Liveness, analyze, vector_clocks};

/// Reads `data` in both formats and answers all questions about the graph. There is a
/// graph if there is no error in the text; a graph that is live has counters and
/// clocks, and is live in the capacities that were chosen. Equal texts have equal
/// answers.
pub fn explore(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for format in [Format::Sigma, Format::Sdf3] {
        read(&text, format);
    }
}

fn read(text: &str, format: Format) {
    let (answers, diagnostics) = analyze("fuzz", text, format);
    let has_errors = diagnostics.iter().any(|d| d.is_error());
    let Some((model, analysis)) = answers else {
        assert!(has_errors, "a refused text has an error");
        return;
    };
    let is_refused = [analysis.is_consistent, analysis.is_live].contains(&Some(false));
    assert_eq!(
        is_refused, has_errors,
        "a graph has an error if it cannot run"
    );
    if let (Some(buffers), Some(repetition)) = (&analysis.buffers, &analysis.repetition) {
        let capacities: Vec<_> = buffers.capacities().iter().copied().map(Some).collect();
        let liveness = Liveness::of(&model.graph, repetition, &capacities);
        assert!(liveness.is_ok_and(|liveness| liveness.is_live()));
        assert!(Counters::of(&model.graph, &capacities).is_ok());
        assert!(vector_clocks(&model.graph, repetition, &capacities).is_ok());
    }
    let again = analyze("fuzz", text, format).0;
    assert_eq!(
        again,
        Some((model, analysis)),
        "the same text has the same answers"
    );
}
