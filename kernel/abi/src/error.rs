//! What a system call answers in its first result register.

macro_rules! errors {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal,)*) => {
        /// Why a system call was refused. 0 in the result register is success.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Error { $($(#[doc = $doc])* $name = $code,)* }

        impl Error {
            /// Every error, for tables and sweeps.
            pub const ALL: &'static [Error] = &[$(Error::$name,)*];

            /// The error of a result register; `None` for 0 and unknown codes.
            pub const fn from_code(code: usize) -> Option<Error> {
                match code { $($code => Some(Error::$name),)* _ => None }
            }

            /// The POSIX-style name.
            pub const fn name(self) -> &'static str {
                match self { $(Error::$name => stringify!($name),)* }
            }
        }
    };
}

errors! {
    /// The caller has no right to this object or operation.
    EPERM = 1,
    /// No such object: the number names nothing, or a tenant that has gone.
    ESRCH = 2,
    /// An address range is not wholly in the caller's memory with the needed rights.
    EFAULT = 3,
    /// An argument is out of its range.
    EINVAL = 4,
    /// The system call number names nothing.
    ENOSYS = 5,
    /// The object is in use.
    EBUSY = 6,
    /// A bounded resource of the caller's process is used up.
    EAGAIN = 7,
    /// To wait would close a circle of threads that wait for each other.
    EDEADLK = 8,
    /// The instant has come up to which the caller would wait.
    ETIMEDOUT = 9,
    /// The caller has the mutex; whoever had it before ended without giving it back.
    EOWNERDEAD = 10,
    /// The object was deleted while the caller waited for it.
    EIDRM = 11,
    /// The object exists already.
    EEXIST = 12,
    /// A count would leave its range.
    EOVERFLOW = 13,
    /// A message is longer than the room for it.
    EMSGSIZE = 14,
    /// The process has no memory left of what it may have.
    ENOMEM = 15,
    /// A signal ended the wait; only where threads are interrupted, see [`posix`](crate::posix).
    EINTR = 16,
}
