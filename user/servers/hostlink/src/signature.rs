//! Signatures over what the host asks for: Ed25519 (RFC 8032).

use ed25519_compact::{PublicKey, Signature};
use giornata_abi::Instant;
use giornata_hostlink_wire::{self as wire, Code, Permission};

use crate::words::{Refused, refuse};

/// What a boot is known by: the clock when the server starts, and a seed that
/// is the machine's own. Two boots that come to the same clock with one seed
/// cannot be told apart: what was signed for one is good for the other.
pub fn nonce(clock: Instant, seed: u64) -> [u8; 16] {
    let [low, high] = [clock.0, seed].map(|word| u128::from(word.to_le()));
    (high << 64 | low).to_le_bytes()
}

/// Whether a permission is signed by the owner of `key`; without a key
/// everything is.
pub(crate) fn check(
    key: Option<&[u8; 32]>,
    permission: &Permission<'_>,
    signature: Option<wire::Signature>,
) -> Result<(), Refused> {
    let Some(key) = key else { return Ok(()) };
    let Some(signature) = signature else {
        return Err(refuse(
            Code::Signature,
            format_args!("this machine takes signed requests only; give the key file with --key"),
        ));
    };
    if is_signed(key, permission, &Signature::new(signature.to_bytes())) {
        return Ok(());
    }
    Err(refuse(
        Code::Signature,
        format_args!("the signature is wrong; use the key whose public half the system file names"),
    ))
}

fn is_signed(key: &[u8; 32], permission: &Permission<'_>, signature: &Signature) -> bool {
    let Ok(mut state) = PublicKey::new(*key).verify_incremental(signature) else {
        return false;
    };
    permission.write(&mut |piece| state.absorb(piece));
    state.verify().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boots_at_other_clocks_or_of_other_machines_have_other_nonces() {
        let all = [(1, 2), (2, 1), (1, 3), (3, 2)].map(|(clock, seed)| nonce(Instant(clock), seed));
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one));
        }
    }
}
