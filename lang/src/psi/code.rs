//! What diagnostics of Psi are about.

use crate::code::codes;

codes! {
    /// A character begins no word of the language.
    Character = "psi::character", Error;
    /// A comment or annotation is not closed.
    Unterminated = "psi::unterminated", Error;
    /// A number is malformed, too large, or 0 where 0 means nothing.
    Number = "psi::number", Error;
    /// The text does not follow the grammar.
    Syntax = "psi::syntax", Error;
    /// Blocks are nested too deeply.
    Nesting = "psi::nesting", Error;
    /// A name is declared or listed twice.
    Duplicate = "psi::duplicate", Error;
    /// A name names no variable, sensor or actuator.
    UnknownVariable = "psi::unknown-variable", Error;
    /// A name names no clock.
    UnknownClock = "psi::unknown-clock", Error;
    /// A job would read what is only written, or write what is only read.
    Direction = "psi::direction", Error;
    /// A job or a test uses what belongs to another task.
    OtherTask = "psi::other-task", Error;
    /// A variable or an actuator is written by two tasks.
    TwoWriters = "psi::two-writers", Error;
    /// A sensor is read by two tasks.
    TwoReaders = "psi::two-readers", Error;
    /// A value cannot be compared like this.
    Type = "psi::type", Error;
    /// A job is a task.
    Recursion = "psi::recursion", Error;
    /// A function is the job of two tasks, or has two lists of arguments.
    FunctionTwice = "psi::function-twice", Error;
    /// Two functions in one window.
    TwoFunctions = "psi::two-functions", Error;
    /// A way round a task, or through a loop, takes no time.
    NoAdvance = "psi::no-advance", Error;
    /// A window is no whole number of ticks, or shorter than one.
    Window = "psi::window", Error;
    /// The width of a window is only known after its job has begun.
    Postponement = "psi::postponement", Error;
    /// The program exceeds a limit of the module format.
    TooBig = "psi::too-big", Error;
    /// The value of an annotation is malformed or contradicts another.
    Annotation = "psi::annotation", Error;
    /// An annotation has no meaning (there).
    UnknownAnnotation = "psi::unknown-annotation", Warning;
    /// The worst-case execution time of a job is longer than its window.
    WorstCaseBeyondWindow = "psi::wcet-beyond-window", Warning;
    /// The budget of a job is longer than its window.
    BudgetBeyondWindow = "psi::budget-beyond-window", Warning;
    /// No way leads to a job or a window.
    Unreachable = "psi::unreachable", Warning;
    /// A variable is written by no job.
    Unwritten = "psi::unwritten", Warning;
    /// A variable, sensor, actuator or clock is never used.
    Unused = "psi::unused", Warning;
}
