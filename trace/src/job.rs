//! Jobs of tasks, numbered by their releases.

use giornata_abi::Instant;

/// The last job of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Job {
    /// Its number, from 1.
    pub(crate) number: u32,
    /// Its absolute deadline.
    pub(crate) deadline: Option<Instant>,
    /// Ticks that it has run, without the present turn.
    pub(crate) spent: u64,
    /// It has not completed.
    is_open: bool,
}

/// By thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs(Vec<Job>);

impl Jobs {
    fn of(&mut self, thread: u16) -> &mut Job {
        let index = usize::from(thread);
        if self.0.len() <= index {
            self.0.resize(index + 1, Job::default());
        }
        &mut self.0[index]
    }

    /// The job of a thread that has not completed.
    pub(crate) fn open(&self, thread: u16) -> Option<Job> {
        let job = self.0.get(usize::from(thread)).copied();
        job.filter(|job| job.is_open)
    }

    /// A thread's next job was released; its number.
    pub(crate) fn release(&mut self, thread: u16, deadline: Option<Instant>) -> u32 {
        let job = self.of(thread);
        *job = Job {
            number: job.number.wrapping_add(1),
            deadline,
            spent: 0,
            is_open: true,
        };
        job.number
    }

    /// A thread has run for so many ticks.
    pub(crate) fn run(&mut self, thread: u16, ticks: u64) {
        let job = self.of(thread);
        job.spent = job.spent.saturating_add(ticks);
    }

    /// The job of a thread completed, which the kernel may number.
    pub(crate) fn complete(&mut self, thread: u16, number: u32) -> Job {
        let job = self.of(thread);
        if number != 0 {
            job.number = number;
        }
        job.is_open = false;
        *job
    }
}
