//! Signatures of the host's requests: Ed25519 (RFC 8032).

use ed25519_compact::{PublicKey, Signature};
use giornata_abi::Instant;
use giornata_hostlink_wire::{self as wire, Code, Permission};

use crate::words::{Refused, refuse};

/// The nonce of a boot: the time at which the server starts, and a seed that should be
/// different for each machine. Boots with the same start time and seed cannot be
/// distinguished: a request that was signed for one is valid for the other.
pub fn nonce(clock: Instant, seed: u64) -> [u8; 16] {
    let [low, high] = [clock.0, seed].map(|word| u128::from(word.to_le()));
    (high << 64 | low).to_le_bytes()
}

/// Checks that a permission is signed by the owner of `key`; without a key, anything
/// is accepted.
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
