//! SHA-256 (FIPS 180-4), for fingerprints and for the policy of the page. Not for secrets.

/// The digest of bytes.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 32] {
    let mut state = initial();
    let constants = constants();
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if padded.len() - bytes.len() < 9 {
        padded.resize(padded.len() + 64, 0);
    }
    let end = padded.len() - 8;
    padded[end..].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    let mut digest = [0; 32];
    for (to, word) in digest.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// The digest in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The digest in base 64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in digest(bytes).chunks(3) {
        let number =
            (0..3).fold(0u32, |number, at| number << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[expect(clippy::many_single_char_names, reason = "the names of the standard")]
fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for at in 16..64 {
        let (a, b) = (words[at - 15], words[at - 2]);
        let small = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let large = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        words[at] = words[at - 16].wrapping_add(small).wrapping_add(words[at - 7]).wrapping_add(large);
    }
    let mut round = *state;
    for (word, constant) in words.into_iter().zip(constants) {
        let [a, b, c, d, e, f, g, h] = round;
        let first = (e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
            .wrapping_add((e & f) ^ (!e & g))
            .wrapping_add(h)
            .wrapping_add(*constant)
            .wrapping_add(word);
        let second = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))
            .wrapping_add((a & b) ^ (a & c) ^ (b & c));
        round = [first.wrapping_add(second), a, b, c, d.wrapping_add(first), e, f, g];
    }
    for (word, more) in state.iter_mut().zip(round) {
        *word = word.wrapping_add(more);
    }
}

/// The first 32 bits of the fractional parts of the square roots of the first eight primes.
fn initial() -> [u32; 8] {
    let mut primes = primes();
    std::array::from_fn(|_| root(primes.next().unwrap_or(2), 2))
}

/// The same of the cube roots of the first 64.
fn constants() -> [u32; 64] {
    let mut primes = primes();
    std::array::from_fn(|_| root(primes.next().unwrap_or(2), 3))
}

fn primes() -> impl Iterator<Item = u128> {
    (2u128..).filter(|&number| (2..number).take_while(|by| by * by <= number).all(|by| number % by != 0))
}

/// The fractional part of a root of a small number, in 32 bits: the root of `number << 32 * power`.
fn root(number: u128, power: u32) -> u32 {
    let shifted = number << (32 * power);
    let (mut low, mut high) = (0u128, 1 << 40);
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        if middle.pow(power) <= shifted { low = middle } else { high = middle }
    }
    low as u32
}

#[cfg(test)]
mod tests {
    use super::{base64, hex};

    #[test]
    fn known_digests() {
        let check = |text: &str, expected: &str| assert_eq!(hex(text.as_bytes()), expected, "{text}");
        check("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check(
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        );
        check(&"a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        assert_eq!(base64(b""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
