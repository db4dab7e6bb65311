//! The `giornata` command: arguments, files, rendering. All meaning is in the
//! crates below.

#![forbid(unsafe_code)]

mod analyze;
mod arguments;
mod board_costs;
mod check;
mod compare;
mod compile;
mod complaint;
mod debug;
mod disasm;
mod identifiers;
mod input;
mod language_server;
mod margins;
mod new;
mod remote;
mod report;
mod run;
mod schedule;
mod schema;
mod simulate;
mod size;
mod streams;
mod subject;
mod test;
mod trace;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::report::Report;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = Report::new(arguments.json);
    let verdict = match &arguments.command {
        Command::Analyze(arguments) => analyze::run(arguments, &mut report),
        Command::Build(arguments) => run::build(arguments, &mut report),
        Command::Check(arguments) => check::run(arguments, &mut report),
        Command::Compare(arguments) => compare::run(arguments, &mut report),
        Command::Compile(arguments) => compile::run(arguments, &mut report),
        Command::Debug(arguments) => debug::run(arguments, &mut report),
        Command::Disasm(arguments) => disasm::run(arguments, &mut report),
        Command::Identifiers(arguments) => identifiers::run(arguments, &mut report),
        Command::Key(arguments) => remote::key::run(arguments, &mut report),
        Command::LanguageServer => language_server::run(&mut report),
        Command::Load(arguments) => remote::load::run(arguments, &mut report),
        Command::New(arguments) => new::run(arguments, &mut report),
        Command::Patch(arguments) => remote::load::patch(arguments, &mut report),
        Command::Run(arguments) => run::run(arguments, &mut report),
        Command::Schedule(arguments) => schedule::run(arguments, &mut report),
        Command::Schema(arguments) => schema::run(arguments, &mut report),
        Command::Shutdown(arguments) => remote::deeds::shutdown(arguments, &mut report),
        Command::Simulate(arguments) => simulate::run(arguments, &mut report),
        Command::Size(arguments) => size::run(arguments, &mut report),
        Command::Status(arguments) => remote::status::run(arguments, &mut report),
        Command::Switch(arguments) => remote::deeds::switch(arguments, &mut report),
        Command::Tasks(arguments) => remote::tasks::run(arguments, &mut report),
        Command::Test(arguments) => test::run(arguments, &mut report),
        Command::Top(arguments) => remote::top::run(arguments, &mut report),
        Command::Trace(arguments) => trace::run(arguments, &mut report),
        Command::Unload(arguments) => remote::deeds::unload(arguments, &mut report),
    };
    report.finish(verdict);
    ExitCode::from(verdict as u8)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_of_all_commands_go_together() {
        crate::arguments::Arguments::command().debug_assert();
    }
}
