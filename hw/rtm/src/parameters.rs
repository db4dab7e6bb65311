//! What can be chosen of a task manager.

/// The parameters of `rtm_wishbone.sv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Records: a power of two from 16 to 256.
    pub records: u16,
    /// Bits of a delay: 16 or 32.
    pub delay_bits: u8,
    /// Delay decrement cells: a power of two, as many as there are records at most.
    pub delay_cells: u16,
    /// Registers in the comparator tree: 0 to 2, and fewer than it has levels, which is the
    /// logarithm of the records by 4.
    pub stages: u8,
    /// Bits of the key that orders records of one priority: 0 or 32.
    pub key_bits: u8,
    /// A record can have a delay and wait for an event at once.
    pub is_timed: bool,
    /// A key can be a stamp of the record's arrival.
    pub has_stamps: bool,
    /// The first that waits for an event is released in one command.
    pub releases: bool,
    /// It tells which delays have run out, counts ticks itself, and interrupts.
    pub interrupts: bool,
    /// It tells the ready records one after the other.
    pub tells_many: bool,
}

impl Parameters {
    /// The reference architecture of the paper.
    pub const REFERENCE: Parameters = Parameters {
        records: 64,
        delay_bits: 16,
        delay_cells: 64,
        stages: 0,
        key_bits: 0,
        is_timed: false,
        has_stamps: false,
        releases: false,
        interrupts: false,
        tells_many: false,
    };

    /// The reference with a register behind each level of the comparator tree but the last.
    pub const PIPELINED: Parameters = Parameters {
        stages: 2,
        ..Parameters::REFERENCE
    };

    /// All extensions.
    pub const EXTENDED: Parameters = Parameters {
        delay_bits: 32,
        key_bits: 32,
        is_timed: true,
        has_stamps: true,
        releases: true,
        interrupts: true,
        tells_many: true,
        ..Parameters::REFERENCE
    };

    /// Records that share a delay decrement cell: time advances for one after the other.
    pub(crate) fn groups(&self) -> u32 {
        u32::from(self.records / self.delay_cells)
    }

    /// The same with so many records, each with a delay decrement cell of its own.
    pub fn with_records(self, records: u16) -> Parameters {
        Parameters {
            records,
            delay_cells: records,
            ..self
        }
    }

    /// Names and values of `rtm.sv`.
    pub(crate) fn values(&self) -> [(&'static str, u16); 10] {
        [
            ("N", self.records),
            ("DelayW", self.delay_bits.into()),
            ("DelayCells", self.delay_cells),
            ("Stages", self.stages.into()),
            ("KeyW", self.key_bits.into()),
            ("Timed", self.is_timed.into()),
            ("Stamps", self.has_stamps.into()),
            ("Releases", self.releases.into()),
            ("Interrupts", self.interrupts.into()),
            ("Many", self.tells_many.into()),
        ]
    }

    /// As options of Verilator, for a top module that has them under names with this prefix.
    pub fn for_verilator(&self, prefix: &str) -> Vec<String> {
        // (it wants the width of a bit to be that of the parameter)
        let option = |(index, (name, value)): (usize, (&str, u16))| match index {
            0..5 => format!("-G{prefix}{name}={value}"),
            _ => format!("-G{prefix}{name}=1'b{value}"),
        };
        self.values().into_iter().enumerate().map(option).collect()
    }

    /// As options of the command `hierarchy` of yosys.
    pub(crate) fn for_yosys(&self) -> String {
        let values = self.values().into_iter();
        values
            .map(|(name, value)| format!("-chparam {name} {value} "))
            .collect()
    }
}
