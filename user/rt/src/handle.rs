//! Handles: what objects of the system file are named by.

/// A handle of one kind of object.
macro_rules! handle {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(crate::id::Id);

        impl $name {
            /// The object of slot `index` that is there at the boot; the builder
            /// writes these constants. A wrong kind shows when it is used: `EINVAL`.
            pub const fn new(index: u16) -> $name {
                $name(crate::id::Id::new(index, 0))
            }

            /// Its id.
            pub const fn id(self) -> crate::id::Id {
                self.0
            }

            /// Creates the object of this slot, and returns the handle of the
            /// new one. O(1); does not block.
            ///
            /// `EEXIST`: there is one. `EPERM`: the process may not manage it.
            /// `ESRCH`: no such slot.
            pub fn create(self) -> Result<$name, giornata_abi::Error> {
                let id = crate::call::create_object(self.0.index())?;
                Ok($name(crate::id::Id(id)))
            }

            /// The handle of the object that is in this slot now, whoever created
            /// it. O(1); does not block.
            ///
            /// `ESRCH`: there is none. `EPERM`: the process may not use it.
            pub fn open(self) -> Result<$name, giornata_abi::Error> {
                let id = crate::call::open_object(self.0.index())?;
                Ok($name(crate::id::Id(id)))
            }

            /// Deletes the object: threads that wait for it get `EIDRM`, and
            /// its handles name nothing any more. O(threads that wait), in
            /// pieces; does not block.
            ///
            /// `EPERM`: the process may not manage it. `ESRCH`: it has ended.
            pub fn delete(self) -> Result<(), giornata_abi::Error> {
                crate::call::delete_object(self.0.0)
            }
        }
    };
}

pub(crate) use handle;
