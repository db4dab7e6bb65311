//! What diagnostics of Giotto are about.

use crate::code::codes;

codes! {
    /// A character begins no word of the language.
    Character = "giotto::character", Error;
    /// A comment or annotation is not closed.
    Unterminated = "giotto::unterminated", Error;
    /// A number is malformed, too large, or 0 where 0 means nothing.
    Number = "giotto::number", Error;
    /// The text does not follow the grammar.
    Syntax = "giotto::syntax", Error;
    /// A name is declared twice in one name space.
    Duplicate = "giotto::duplicate", Error;
    /// A port is both a sensor and an output.
    SensorAndOutput = "giotto::sensor-and-output", Error;
    /// A name names no port.
    UnknownPort = "giotto::unknown-port", Error;
    /// A name names no task.
    UnknownTask = "giotto::unknown-task", Error;
    /// A name names no driver.
    UnknownDriver = "giotto::unknown-driver", Error;
    /// A name names no mode.
    UnknownMode = "giotto::unknown-mode", Error;
    /// An argument is neither a port nor a parameter of its task or driver.
    UnknownArgument = "giotto::unknown-argument", Error;
    /// A port of this kind cannot stand here.
    PortKind = "giotto::port-kind", Error;
    /// Two ends of a connection have different types.
    Type = "giotto::type", Error;
    /// Two ends of a connection differ in number.
    Arity = "giotto::arity", Error;
    /// A parameter is not passed to the function that should use it.
    MissingArgument = "giotto::missing-argument", Error;
    /// An output is written by two tasks of one mode.
    OutputWriters = "giotto::output-writers", Error;
    /// An output is written by no task.
    UnwrittenOutput = "giotto::unwritten-output", Warning;
    /// A mode invokes a task twice.
    TaskTwice = "giotto::task-twice", Error;
    /// A mode updates an actuator by two lines.
    ActuatorTwice = "giotto::actuator-twice", Warning;
    /// A guard is tested in the middle of a task that the target mode does not run.
    SwitchCutsTask = "giotto::switch-cuts-task", Error;
    /// A guard is tested in the middle of a task that the target mode runs with another period.
    SwitchPeriod = "giotto::switch-period", Error;
    /// A frequency does not divide its period into whole nanoseconds.
    RoundedInstants = "giotto::rounded-instants", Note;
    /// Instants lie too close, or their exact distances cannot be written.
    Instants = "giotto::instants", Error;
    /// The program exceeds a limit of the module format.
    TooBig = "giotto::too-big", Error;
    /// The value of an annotation is malformed or contradicts another.
    Annotation = "giotto::annotation", Error;
    /// An annotation has no meaning (there).
    UnknownAnnotation = "giotto::unknown-annotation", Warning;
    /// An actuator's driver reads a sensor, which is read after actuators update.
    LateSensor = "giotto::late-sensor", Warning;
    /// The worst-case execution time of a task is longer than its period.
    WorstCaseBeyondPeriod = "giotto::wcet-beyond-period", Warning;
    /// A task, driver or mode is never used.
    Unused = "giotto::unused", Warning;
}
