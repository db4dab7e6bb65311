//! `errno`, and the numbers of errors in picolibc's `<errno.h>`.

use core::ffi::c_int;

use giornata_rt::Error;

/// A number of `<errno.h>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Errno(pub c_int);

macro_rules! numbers {
    ($($name:ident = $number:literal)*) => {
        impl Errno {
            $(#[doc = stringify!($name)] pub const $name: Errno = Errno($number);)*
        }
    };
}

numbers! {
    EPERM = 1 ENOENT = 2 ESRCH = 3 EINTR = 4 ENXIO = 6 EBADF = 9 EAGAIN = 11 ENOMEM = 12 EACCES = 13
    EFAULT = 14 EBUSY = 16 EEXIST = 17 ENODEV = 19 EINVAL = 22 ENFILE = 23 EMFILE = 24
    ESPIPE = 29 ERANGE = 34 EIDRM = 36 EDEADLK = 45 ENOSYS = 88 ENAMETOOLONG = 91
    ETIMEDOUT = 116 EMSGSIZE = 122 ENOTSUP = 134 EOVERFLOW = 139 ENOTRECOVERABLE = 141 EOWNERDEAD = 142
}

impl From<Error> for Errno {
    fn from(error: Error) -> Errno {
        match error {
            Error::EPERM => Errno::EPERM,
            Error::ESRCH => Errno::ESRCH,
            Error::EFAULT => Errno::EFAULT,
            Error::EINVAL => Errno::EINVAL,
            Error::ENOSYS => Errno::ENOSYS,
            Error::EBUSY => Errno::EBUSY,
            Error::EAGAIN => Errno::EAGAIN,
            Error::EDEADLK => Errno::EDEADLK,
            Error::ETIMEDOUT => Errno::ETIMEDOUT,
            Error::EOWNERDEAD => Errno::EOWNERDEAD,
            Error::EIDRM => Errno::EIDRM,
            Error::EEXIST => Errno::EEXIST,
            Error::EOVERFLOW => Errno::EOVERFLOW,
            Error::EMSGSIZE => Errno::EMSGSIZE,
            Error::ENOMEM => Errno::ENOMEM,
            Error::EINTR => Errno::EINTR,
        }
    }
}

/// 0, or the number of the error: what functions return that do not set `errno`.
pub(crate) fn number(result: Result<(), Errno>) -> c_int {
    result.err().map_or(0, |error| error.0)
}

/// A result of a function that returns -1 for an error, which is then in `errno`.
pub(crate) fn or_minus_one<T: From<i8>>(result: Result<T, Errno>) -> T {
    result.unwrap_or_else(|error| {
        set(error);
        T::from(-1)
    })
}

/// Sets `errno` of the calling thread.
pub(crate) fn set(Errno(number): Errno) {
    set_number(number);
}

/// The same, to what it was.
#[cfg(target_os = "none")]
pub(crate) fn set_number(number: c_int) {
    unsafe extern "C" {
        safe fn giornata_posix_set_errno(number: c_int);
    }
    giornata_posix_set_errno(number);
}

/// `errno` of the calling thread.
#[cfg(target_os = "none")]
pub(crate) fn errno() -> c_int {
    unsafe extern "C" {
        safe fn giornata_posix_errno() -> c_int;
    }
    giornata_posix_errno()
}

/// The host's C library has its own.
#[cfg(not(target_os = "none"))]
pub(crate) fn set_number(_: c_int) {}
