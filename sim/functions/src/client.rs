//! The end that wants functions run.

use crate::body::{Made, Ran};
use crate::protocol::{Answer, Process, Request, receive, send};
use giornata_abi::Instant;
use giornata_abi::call::Call;
use std::io::{self, BufReader, BufWriter};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A program that serves functions. It ends when this is dropped.
#[derive(Debug)]
pub struct Client {
    program: Child,
    to: Option<BufWriter<ChildStdin>>,
    from: BufReader<ChildStdout>,
}

/// Why a function was not run.
#[derive(Debug)]
pub enum Failure {
    /// The program cannot be started, or a pipe broke.
    Pipe(io::Error),
    /// The program has ended, as the words say.
    Ended(String),
    /// It said what is no answer to the request.
    Answer,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Pipe(error) => write!(f, "{error}"),
            Failure::Ended(how) => write!(f, "the program of the functions has ended: {how}"),
            Failure::Answer => write!(f, "the program of the functions is of another version"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Pipe(error)
    }
}

impl Client {
    /// Starts a program that serves functions.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &mut Command) -> Result<Client, Failure> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn()?;
        let (to, from) = (program.stdin.take(), program.stdout.take());
        let from = from.ok_or(Failure::Answer)?;
        Ok(Client {
            to: to.map(BufWriter::new),
            from: BufReader::new(from),
            program,
        })
    }

    /// The processes that it serves, and their functions.
    ///
    /// # Errors
    /// It does not say.
    pub fn processes(&mut self) -> Result<Vec<Process>, Failure> {
        match self.ask(&Request::Describe)? {
            Answer::Processes(processes) => Ok(processes),
            _ => Err(Failure::Answer),
        }
    }

    /// Runs a function of a process at an instant, in a life of the process, on a block.
    ///
    /// # Errors
    /// The program has ended, or has no such function.
    pub fn run(
        &mut self,
        (process, function): (u16, u16),
        life: u32,
        now: Instant,
        block: &mut Vec<u64>,
    ) -> Result<Ran, Failure> {
        let request = Request::Run {
            process,
            function,
            life,
            now: now.0,
            block: std::mem::take(block),
        };
        let Answer::Ran {
            block: written,
            value,
            calls,
        } = self.ask(&request)?
        else {
            return Err(Failure::Answer);
        };
        *block = written;
        let calls = calls.into_iter().map(|(number, arguments, text)| {
            let call = Call::from_number(number as usize).ok_or(Failure::Answer)?;
            let arguments = arguments.map(|argument| argument as usize);
            Ok(Made {
                call,
                arguments,
                text,
            })
        });
        Ok(Ran {
            value: value as usize,
            calls: calls.collect::<Result<_, Failure>>()?,
        })
    }

    fn ask(&mut self, request: &Request) -> Result<Answer, Failure> {
        let sent = self.to.as_mut().map(|to| send(to, request));
        let answer = match sent {
            Some(Ok(())) => receive(&mut self.from)?,
            _ => None,
        };
        match answer {
            Some(answer) => Ok(answer),
            // (what a signal or an exit code says is more than that a pipe broke)
            None => Err(Failure::Ended(self.program.wait()?.to_string())),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // the program ends with its input; one that loops does not, and is stopped
        self.to = None;
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
