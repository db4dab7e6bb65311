//! Where the fields of records lie, and what their words mean, for who reads the memory of a
//! machine from outside: a debugger, a dump.
//!
//! Both come from the kernel's own definitions, so that a reader knows nothing by heart.

use std::collections::BTreeMap;

use giornata_abi::ring::{self, Kind};
use giornata_core::layout::{Shape, Shaped, Target};
use giornata_core::micro::Group;
use giornata_core::process::life;
use giornata_core::sched::ready::level;
use giornata_core::sched::thread::{self, Place, role, state, tenancy};
use giornata_core::sync::object;
use giornata_core::trace::Entry;
use giornata_core::{Line, Object, Process, Rank, Region, System, Task, Thread};

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordShape {
    /// Its bytes.
    pub size: usize,
    /// Its fields by their paths, such as `context.pc`. A slice is two fields,
    /// `NAME.address` and `NAME.length`, a variant `NAME.tag` and `NAME.payload`; of an
    /// array of records, each element is named by its number.
    pub fields: BTreeMap<String, FieldShape>,
}

/// A number or a reference in a record, or several in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// Bytes before it.
    pub offset: usize,
    /// Bytes of one.
    pub bytes: usize,
    /// How many; 1 unless it is an array.
    pub count: usize,
}

/// The records that tell how a system stands, by name.
pub fn records(target: Target) -> BTreeMap<&'static str, RecordShape> {
    [
        ("System", System::SHAPE),
        ("Thread", Thread::SHAPE),
        ("Place", Place::SHAPE),
        ("Process", Process::SHAPE),
        ("Object", Object::SHAPE),
        ("Rank", Rank::SHAPE),
        ("Line", Line::SHAPE),
        ("Region", Region::SHAPE),
        ("Group", Group::SHAPE),
        ("Task", Task::SHAPE),
        ("Entry", Entry::SHAPE),
    ]
    .map(|(name, shape)| (name, record(shape, target)))
    .into()
}

/// A group of constants: its name, and name and value of each.
pub type Constants = (&'static str, BTreeMap<&'static str, u32>);

macro_rules! constants {
    ($($group:ident: $($name:ident)*;)*) => {
        [$((stringify!($group), [$((stringify!($name), $group::$name.into())),*].into()),)*]
    };
}

/// What words of records and of the trace mean, by the module that says so.
pub fn constants() -> impl Iterator<Item = Constants> {
    use object::kind;
    use ring::{members, reason};
    use thread::kind as resumed;
    let groups: [Constants; _] = constants! {
        state: ARMED SLEEPS PARKED ORPHAN BYTES IN_RING HINTED;
        tenancy: NOBODY ENDED UPCALL TASK GIVEN JOINABLE;
        role: TASK UPCALL SPARE REAPER DEADLINE;
        life: ALIVE SEARCH MESSAGE LINES THREADS OBJECTS REGIONS PAUSE RESTORE START DEAD;
        resumed: FULL AGAIN IDLE;
        kind: FREE SEMAPHORE MUTEX CONDITION MAILBOX HAND KIND CEILING PRIVATE ABANDONED;
        level: REACTION LOWEST STREAM IDLE;
        reason: COMPLETE;
        members: RUN;
    };
    let records = Kind::ALL.iter().map(|kind| (kind.name(), *kind as u32));
    groups.into_iter().chain([("record", records.collect())])
}

fn record(shape: Shape, target: Target) -> RecordShape {
    let mut fields = BTreeMap::new();
    add(&mut fields, "", shape, 0, target);
    RecordShape {
        size: shape.size(target),
        fields,
    }
}

/// Adds what lies at an offset under a path.
fn add(
    fields: &mut BTreeMap<String, FieldShape>,
    path: &str,
    shape: Shape,
    at: usize,
    target: Target,
) {
    let width = target.width;
    let mut put = |path: String, offset: usize, bytes: usize, count: usize| {
        let field = FieldShape {
            offset,
            bytes,
            count,
        };
        fields.insert(path, field);
    };
    match shape {
        Shape::Byte | Shape::Half | Shape::Word | Shape::Size | Shape::Ref | Shape::Link => {
            put(path.into(), at, shape.size(target), 1);
        }
        Shape::Slice => {
            put(format!("{path}.address"), at, width, 1);
            put(format!("{path}.length"), at + width, width, 1);
        }
        Shape::Tagged => {
            put(format!("{path}.tag"), at, 4, 1);
            put(format!("{path}.payload"), at + width, width, 1);
        }
        Shape::Array(element, count) => match element {
            Shape::Record(_) | Shape::Array(..) | Shape::Slice | Shape::Tagged => {
                for index in 0..count {
                    let at = at + index * element.size(target);
                    add(fields, &format!("{path}.{index}"), *element, at, target);
                }
            }
            _ => put(path.into(), at, element.size(target), count),
        },
        Shape::Record(inner) => {
            for field in inner.fields {
                let path = match path {
                    "" => field.name.into(),
                    _ => format!("{path}.{}", field.name),
                };
                add(
                    fields,
                    &path,
                    field.shape,
                    at + field.offset(target),
                    target,
                );
            }
        }
        Shape::OnOne(inner) | Shape::OnSeveral(inner) | Shape::OnStreams(inner) => {
            if shape.size(target) != 0 {
                add(fields, path, *inner, at, target);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets() -> impl Iterator<Item = Target> {
        (0..8).map(|number| Target {
            width: if number & 1 == 0 { 4 } else { 8 },
            several: number & 2 != 0,
            streams: number & 4 != 0,
        })
    }

    #[test]
    fn fields_lie_where_the_builder_writes_them() {
        use crate::arena::Arena;
        for target in targets() {
            let shapes = records(target);
            let mut arena = Arena::new(target, 0x100);
            let thread = arena.one::<Thread>();
            for (path, value) in [
                ("context.pc", 0x1234_u32),
                ("context.s.11", 77),
                ("serial", 5),
            ] {
                arena.set(thread, path, value);
            }
            // (not finished: most references of this thread are absent)
            let bytes = arena.bytes();
            let read = |path: &str, index: usize| {
                let field = shapes["Thread"].fields[path];
                assert!(index < field.count);
                let at = field.offset + index * field.bytes;
                let word = bytes[at..at + field.bytes].iter().rev();
                word.fold(0u64, |word, byte| word << 8 | u64::from(*byte))
            };
            assert_eq!(read("context.pc", 0), 0x1234);
            assert_eq!(read("context.s", 11), 77);
            assert_eq!(read("serial", 0), 5);
        }
    }

    #[test]
    fn fields_of_a_record_do_not_overlap_and_end_within_it() {
        for target in targets() {
            for (name, shape) in records(target) {
                let mut fields: Vec<FieldShape> = shape.fields.into_values().collect();
                fields.sort_by_key(|field| field.offset);
                let mut end = 0;
                for field in fields {
                    assert!(end <= field.offset, "{name} at {}", field.offset);
                    end = field.offset + field.bytes * field.count;
                }
                assert!(end <= shape.size, "{name}");
            }
        }
    }

    #[test]
    fn constants_are_those_of_the_kernel() {
        let all: BTreeMap<_, _> = constants().collect();
        assert_eq!(all["state"]["PARKED"], state::PARKED);
        assert_eq!(all["life"]["DEAD"], life::DEAD);
        assert_eq!(all["record"]["Switch"], Kind::Switch as u32);
    }
}
