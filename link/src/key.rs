//! Key files: who may change machines that ask for signatures.
//!
//! ```text
//! giornata key 1
//! secret 64 hexadecimal digits     (RFC 8032's private key)
//! public 64 hexadecimal digits
//! ```

use std::fmt::{self, Debug, Formatter};
use std::io;

use ed25519_compact::{KeyPair, Seed};
use giornata_hostlink_wire::{Permission, Signature};

const TITLE: &str = "giornata key 1";

/// A pair of Ed25519 keys.
pub struct Key(KeyPair);

/// Why a text is no key file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoKey {
    /// The first line is another one.
    #[error("line 1 is not `giornata key 1`")]
    Title,
    /// A line is missing, or is not what it should be.
    #[error("line {0} is not `{1} ` and 64 hexadecimal digits")]
    Line(usize, &'static str),
    /// The public key is not that of the secret one.
    #[error("line 3 is not the public half of line 2")]
    Halves,
}

impl Debug for Key {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.public())
    }
}

impl Key {
    /// A new key, from the system's source of chance.
    ///
    /// # Errors
    /// The system has none.
    pub fn generate() -> io::Result<Key> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(io::Error::from)?;
        Ok(Key::from_seed(seed))
    }

    /// The key of a secret.
    pub fn from_seed(seed: [u8; 32]) -> Key {
        Key(KeyPair::from_seed(Seed::new(seed)))
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// It is none.
    pub fn read(text: &str) -> Result<Key, NoKey> {
        let mut lines = text.lines();
        if lines.next() != Some(TITLE) {
            return Err(NoKey::Title);
        }
        let mut half = |line, name| {
            let digits = lines
                .next()
                .and_then(|text| text.strip_prefix(name)?.strip_prefix(' '));
            digits.and_then(unhex).ok_or(NoKey::Line(line, name))
        };
        let (secret, public) = (half(2, "secret")?, half(3, "public")?);
        let key = Key::from_seed(secret);
        if *key.0.pk != public {
            return Err(NoKey::Halves);
        }
        Ok(key)
    }

    /// The text of its file: whoever has it may sign.
    pub fn write(&self) -> String {
        let (secret, public) = (hex(self.0.sk.seed().as_ref()), self.public());
        format!("{TITLE}\nsecret {secret}\npublic {public}\n")
    }

    /// The public half, in hexadecimal digits.
    pub fn public(&self) -> String {
        hex(self.0.pk.as_ref())
    }

    /// Signs.
    pub fn sign(&self, permission: &Permission<'_>) -> Signature {
        let mut text = Vec::new();
        permission.write(&mut |piece| text.extend_from_slice(piece));
        Signature::from_bytes(&self.0.sk.sign(&text, None))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let key = Key::generate().unwrap();
        let again = Key::read(&key.write()).unwrap();
        assert_eq!((again.public(), again.write()), (key.public(), key.write()));
        assert!(!format!("{key:?}").contains(&hex(key.0.sk.seed().as_ref())));
    }

    #[test]
    fn keys_are_those_of_the_standard() {
        // RFC 8032, 7.1, test 1.
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(Key::from_seed(unhex(secret).unwrap()).public(), public);
    }

    #[test]
    fn a_wrong_file_is_refused_by_its_line() {
        let good = Key::from_seed([7; 32]).write();
        let refusal = |text: &str| Key::read(text).unwrap_err();
        assert_eq!(refusal(""), NoKey::Title);
        assert_eq!(
            refusal(&good.replace("secret", "public")),
            NoKey::Line(2, "secret")
        );
        assert_eq!(
            refusal(good.trim_end().rsplit_once('\n').unwrap().0),
            NoKey::Line(3, "public")
        );
        assert_eq!(
            refusal(&good.replace("secret 0", "secret g")),
            NoKey::Line(2, "secret")
        );
        assert_eq!(
            refusal(&good.replace("secret 0", "secret 1")),
            NoKey::Halves
        );
    }
}
