//! Worst-case times of tasks: from the module, or from a file that knows better.
//!
//! ```toml
//! control = "2ms"
//! navigate = "350us"
//! ```

use giornata_abi::Duration;

use crate::program::Program;
use crate::quantity::duration;

/// Why worst-case times cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimesError {
    /// Tasks without a time, by name.
    #[error("no worst-case time is known of {}", .0.join(", "))]
    Missing(Vec<String>),
    /// The file is not TOML, or a value is no time.
    #[error("line {line}: {what}")]
    Malformed {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The file names a task that the program does not have.
    #[error("line {line}: the program has no task `{name}`; it has {known}")]
    Unknown {
        /// Line, from 1.
        line: usize,
        /// The name.
        name: String,
        /// Those that it has.
        known: String,
    },
}

/// The worst-case time of each task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times(Vec<Duration>);

impl Times {
    /// The times that the module carries, and those of `file` (TOML) instead
    /// where it names a task.
    ///
    /// # Errors
    /// What is wrong with the file, and which tasks have no time.
    pub fn of(program: &Program, file: Option<&str>) -> Result<Times, TimesError> {
        let mut times: Vec<Duration> = program.tasks.iter().map(|task| task.wcet).collect();
        for (task, time) in file.map_or(Ok(Vec::new()), |text| read(program, text))? {
            if let Some(known) = times.get_mut(task) {
                *known = time;
            }
        }
        let without = times.iter().zip(&program.tasks);
        let without = without.filter(|(time, _)| **time == Duration::ZERO);
        let missing: Vec<String> = without.map(|(_, task)| task.name.clone()).collect();
        match missing.is_empty() {
            true => Ok(Times(times)),
            false => Err(TimesError::Missing(missing)),
        }
    }

    /// Times that are known otherwise, one for each task.
    pub fn from_list(times: impl Into<Vec<Duration>>) -> Times {
        Times(times.into())
    }

    /// The time of a task; zero if there is no such task.
    pub fn of_task(&self, task: u16) -> Duration {
        self.0.get(task as usize).copied().unwrap_or(Duration::ZERO)
    }

    /// All times, in the order of tasks.
    pub fn all(&self) -> &[Duration] {
        &self.0
    }

    /// Every time multiplied by `numerator / denominator`, rounded up.
    pub fn scaled(&self, numerator: u64, denominator: u64) -> Times {
        let scale = |time: &Duration| {
            let product = u128::from(time.0) * u128::from(numerator);
            let whole = product.div_ceil(u128::from(denominator.max(1)));
            Duration(whole.min(u128::from(u64::MAX)) as u64)
        };
        Times(self.0.iter().map(scale).collect())
    }
}

/// The tasks that a file names, each with its time.
fn read(program: &Program, text: &str) -> Result<Vec<(usize, Duration)>, TimesError> {
    let line_of = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = line_of(error.span().map_or(0, |span| span.start));
        let what = error.message().to_owned();
        TimesError::Malformed { line, what }
    })?;
    let mut times = Vec::new();
    for (name, value) in &table {
        let line = line_of_key(text, name);
        let Some(task) = program.tasks.iter().position(|task| task.name == *name) else {
            let names: Vec<&str> = program.tasks.iter().map(|t| t.name.as_str()).collect();
            let (name, known) = (name.clone(), names.join(", "));
            return Err(TimesError::Unknown { line, name, known });
        };
        let time = value.as_str().and_then(time).ok_or_else(|| {
            let what = format!("`{name}` is no time of at least 1 ns: write one like \"2ms\"");
            TimesError::Malformed { line, what }
        })?;
        times.push((task, time));
    }
    Ok(times)
}

/// The line where a key stands; keys are at the beginnings of lines.
fn line_of_key(text: &str, key: &str) -> usize {
    let is_key = |line: &str| {
        let start = line.trim_start().trim_start_matches(['"', '\'']);
        start.starts_with(key)
    };
    text.lines().position(is_key).unwrap_or(0) + 1
}

/// A time that is not zero.
fn time(text: &str) -> Option<Duration> {
    duration(text).filter(|nanos| *nanos > 0).map(Duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_are_not_zero() {
        assert_eq!(time("2ms"), Some(Duration(2_000_000)));
        assert_eq!(time(" 350 us"), Some(Duration(350_000)));
        assert_eq!(time("1.5ms"), Some(Duration(1_500_000)));
        for wrong in ["", "2", "ms", "0ms", "-1ms", "2m", "99999999999999s"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn scaling_rounds_up() {
        let times = Times::from_list([Duration(1000), Duration(3)]);
        let scaled = times.scaled(1001, 1000);
        assert_eq!(scaled.all(), [Duration(1001), Duration(4)]);
    }
}
