//! What a program does, as the world sees it, and what its functions put out.

use giornata_abi::ValueType;

/// What a job gets and until when it may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    /// `task.function`
    pub(crate) job: String,
    /// Nanoseconds after the instant.
    pub(crate) deadline: u64,
    pub(crate) got: Vec<Vec<u8>>,
}

/// All that is to see of one instant: nobody says in which order tasks begin their windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Nanoseconds since the start.
    pub(crate) at: u64,
    /// Jobs that begin, by name.
    pub(crate) begun: Vec<Begun>,
    /// Actuators that are written, by name, and what.
    pub(crate) written: Vec<(String, Vec<u8>)>,
    /// Exported variables as they are from now on, by name.
    pub(crate) visible: Vec<(String, Vec<u8>)>,
}

impl Moment {
    pub(crate) fn sort(&mut self) {
        self.begun.sort_by(|a, b| a.job.cmp(&b.job));
        self.written.sort();
        self.visible.sort();
    }
}

/// A value that a function puts out, by what it is called, how often it was, what it
/// got and which of its results it is.
pub(crate) fn put_out(
    of: ValueType,
    function: &str,
    number: u64,
    got: &[Vec<u8>],
    which: usize,
) -> Vec<u8> {
    let mut state = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0xff]) {
            state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(function.as_bytes());
    add(&number.to_le_bytes());
    got.iter().for_each(|value| add(value));
    add(&[which as u8]);
    let hash = state ^ state >> 31;
    let small = (hash % 5) as u8;
    match of {
        ValueType::Bool => vec![small & 1],
        ValueType::U8 => vec![small],
        ValueType::I16 => (i16::from(small) - 2).to_le_bytes().to_vec(),
        ValueType::F32 => (f32::from(small) - 0.25).to_le_bytes().to_vec(),
        _ => hash.to_le_bytes()[..of.size().unwrap().into()].to_vec(),
    }
}
