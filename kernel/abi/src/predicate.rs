//! Predicates: what triggers, timeouts and branches wait for or test.

use crate::record::record;

macro_rules! predicates {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $text:literal;)*) => {
        /// What a predicate tests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum PredicateKind { $($(#[doc = $doc])* $name = $code,)* }

        impl PredicateKind {
            /// Every kind with its notation in listings.
            pub const ALL: &'static [(PredicateKind, &'static str)] =
                &[$((PredicateKind::$name, $text),)*];

            /// The kind with this code.
            pub const fn from_code(code: u8) -> Option<PredicateKind> {
                match code { $($code => Some(PredicateKind::$name),)* _ => None }
            }
        }
    };
}

predicates! {
    /// Always true.
    True = 0, "true";
    /// Never true.
    Never = 1, "never";
    /// `value` ns (and `remainder`/denominator) have passed since the reference time.
    After = 2, "after(d)";
    /// Task `subject` is released and has not completed: a level.
    Released = 3, "released(t)";
    /// Task `subject` is not released, or has completed its job.
    Completed = 4, "completed(t)";
    /// The value of port `subject` is another than at activation.
    Changed = 5, "changed(p)";
    /// Port `subject` compares to the constant `value`.
    Constant = 6, "p op constant";
    /// Port `subject` compares to its own value at activation.
    Activation = 7, "p op activation";
    /// The module's interrupt `subject` came at this instant.
    Interrupt = 8, "irq(n)";
    /// The module's mailbox `subject` holds a message.
    Message = 9, "message(m)";
    /// The upcall driver `subject` answers true; budgeted.
    Upcall = 10, "upcall(f)";
}

/// How a port's value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Comparison {
    /// `==`
    Equal = 0,
    /// `!=`
    NotEqual = 1,
    /// `<`
    Less = 2,
    /// `<=`
    LessOrEqual = 3,
    /// `>`
    Greater = 4,
    /// `>=`
    GreaterOrEqual = 5,
}

impl Comparison {
    /// Every comparison, with its notation.
    pub const ALL: [(Comparison, &'static str); 6] = {
        use Comparison::*;
        [
            (Equal, "=="),
            (NotEqual, "!="),
            (Less, "<"),
            (LessOrEqual, "<="),
            (Greater, ">"),
            (GreaterOrEqual, ">="),
        ]
    };

    /// The comparison with this code.
    pub fn from_code(code: u8) -> Option<Comparison> {
        Self::ALL.get(code as usize).map(|(c, _)| *c)
    }

    /// Applies the comparison to order keys.
    pub const fn holds(self, left: u64, right: u64) -> bool {
        use Comparison::*;
        match self {
            Equal => left == right,
            NotEqual => left != right,
            Less => left < right,
            LessOrEqual => left <= right,
            Greater => left > right,
            GreaterOrEqual => left >= right,
        }
    }
}

record! {
    /// One entry of a module's predicate pool.
    pub struct Predicate {
        /// A [`PredicateKind`].
        pub kind: u8,
        /// A [`Comparison`], for `Constant` and `Activation`; else 0.
        pub comparison: u8,
        /// Module-local index of the task, port, interrupt, mailbox or driver; else 0.
        pub subject: u16,
        /// For `After`: the remainder in units of `1/denominator` ns; else 0.
        pub remainder: u32,
        /// For `After`: nanoseconds. For `Constant`: the raw value, zero-extended. Else 0.
        pub value: u64,
    }
}

impl Predicate {
    /// The kind, if the code is one.
    pub const fn kind(&self) -> Option<PredicateKind> {
        PredicateKind::from_code(self.kind)
    }

    /// A predicate without operands or with a subject only.
    pub const fn of(kind: PredicateKind, subject: u16) -> Predicate {
        Predicate {
            kind: kind as u8,
            comparison: 0,
            subject,
            remainder: 0,
            value: 0,
        }
    }

    /// `after(nanos + remainder/denominator)`.
    pub const fn after(nanos: u64, remainder: u32) -> Predicate {
        Predicate {
            kind: PredicateKind::After as u8,
            comparison: 0,
            subject: 0,
            remainder,
            value: nanos,
        }
    }

    /// `port op constant`, the constant as raw bits.
    pub const fn constant(port: u16, comparison: Comparison, raw: u64) -> Predicate {
        Predicate {
            kind: PredicateKind::Constant as u8,
            comparison: comparison as u8,
            subject: port,
            remainder: 0,
            value: raw,
        }
    }

    /// `port op value at activation`.
    pub const fn activation(port: u16, comparison: Comparison) -> Predicate {
        Predicate {
            kind: PredicateKind::Activation as u8,
            comparison: comparison as u8,
            subject: port,
            remainder: 0,
            value: 0,
        }
    }
}
