//! What diagnostics of Sigma are about.

use crate::code::codes;

codes! {
    /// A character begins no word of the language.
    Character = "sigma::character", Error;
    /// A comment or bracket is not closed.
    Unterminated = "sigma::unterminated", Error;
    /// A number is malformed, too large, or 0 where 0 means nothing.
    Number = "sigma::number", Error;
    /// The text does not follow the grammar.
    Syntax = "sigma::syntax", Error;
    /// The text is no well-formed XML.
    Xml = "sigma::xml", Error;
    /// An element or attribute of an SDF3 file is missing, or is not what it must be.
    Sdf3 = "sigma::sdf3", Error;
    /// A name is declared twice.
    Duplicate = "sigma::duplicate", Error;
    /// A name names no filter.
    UnknownFilter = "sigma::unknown-filter", Error;
    /// A name names no port of its filter.
    UnknownPort = "sigma::unknown-port", Error;
    /// A channel begins at an input or ends at an output.
    PortKind = "sigma::port-kind", Error;
    /// A port has two channels.
    PortTwice = "sigma::port-twice", Error;
    /// A port has no channel.
    Unconnected = "sigma::unconnected", Error;
    /// The rates of a port do not fit the cycle of its filter, or are all 0.
    Rates = "sigma::rates", Error;
    /// A list of places is no permutation.
    Permutation = "sigma::permutation", Error;
    /// Channels that data passes between unchanged have different types.
    Type = "sigma::type", Error;
    /// A channel cannot hold its initial tokens.
    Overfull = "sigma::overfull", Error;
    /// The value of an annotation is malformed.
    Annotation = "sigma::annotation", Error;
    /// An annotation has no meaning (there).
    UnknownAnnotation = "sigma::unknown-annotation", Warning;
    /// The program exceeds a limit.
    TooBig = "sigma::too-big", Error;
    /// A channel contradicts the rates of others.
    Inconsistent = "sigma::inconsistent", Error;
    /// Filters wait for each other's tokens.
    Starved = "sigma::starved", Error;
    /// A capacity is so small that filters wait for each other.
    Capacity = "sigma::capacity", Error;
    /// A graph is too large to be analysed.
    Unknown = "sigma::unknown", Warning;
}
