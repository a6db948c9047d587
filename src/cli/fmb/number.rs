//! Decimal numbers of tables, read in one pass.

/// The most digits whose number fits into 64 bits.
const MOST_DIGITS: usize = 19;

/// The number at the start of a text, to the nearest `f64`, and how many bytes it takes. `None` unless it is plain: a sign or
/// none, up to 19 digits with a point or without, and a comma or the end behind it.
#[inline]
pub(super) fn leading(text: &[u8]) -> Option<(f64, usize)> {
    let is_negative = *text.first()? == b'-';
    let start = usize::from(is_negative);
    let (mut whole, mut end) = (0, start);
    while let Some(digit) = digit(text, end) {
        (whole, end) = (10_u64.wrapping_mul(whole).wrapping_add(digit), end + 1);
    }
    let (digits, mut decimals) = (end - start, 0);
    if text.get(end) == Some(&b'.') {
        let point = end;
        end = add_digits(text, point + 1, &mut whole);
        decimals = end - point - 1;
    }
    let is_plain = digits > 0 && digits + decimals <= MOST_DIGITS;
    if !is_plain || text.get(end).is_some_and(|byte| *byte != b',') {
        return None;
    }
    let magnitude = quotient(whole, decimals);
    Some((if is_negative { -magnitude } else { magnitude }, end))
}

fn digit(text: &[u8], at: usize) -> Option<u64> {
    text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit <= 9).map(u64::from)
}

/// Appends the digits from `at` on to a number, eight at a time, and returns where they end.
#[inline]
fn add_digits(text: &[u8], mut at: usize, number: &mut u64) -> usize {
    const EIGHT_PLACES: u64 = 100_000_000;
    while let Some(&eight) = text[at..].first_chunk() {
        let bytes = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
        let others = above_nine(bytes);
        if others != 0 {
            // What is left of the digits, without a branch, because their number changes from cell to cell.
            let bits = others.trailing_zeros() & !7;
            let left = if bits == 0 { 0 } else { eight_digits(bytes << (64 - bits)) };
            let count = bits as usize / 8;
            *number = number.wrapping_mul(TENS[count]).wrapping_add(left);
            return at + count;
        }
        (*number, at) = (number.wrapping_mul(EIGHT_PLACES).wrapping_add(eight_digits(bytes)), at + 8);
    }
    while let Some(digit) = digit(text, at) {
        (*number, at) = (number.wrapping_mul(10).wrapping_add(digit), at + 1);
    }
    at
}

/// Powers of 10.
const TENS: [u64; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The highest bit of each byte that is above 9; the other bits are 0.
#[inline]
fn above_nine(bytes: u64) -> u64 {
    const HIGHEST: u64 = 0x8080_8080_8080_8080;
    ((bytes & !HIGHEST).wrapping_add(0x7676_7676_7676_7676) | bytes) & HIGHEST
}

/// Eight digits, the first in the lowest byte, as a number: pairs of digits, then pairs of these, then both halves.
#[inline]
fn eight_digits(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10 << 8 | 1) >> 8;
    let quads = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(100 << 16 | 1) >> 16;
    (quads & 0x0000_FFFF_0000_FFFF).wrapping_mul(10_000 << 32 | 1) >> 32
}

/// 5^k as a number with its highest bit set, and how far it was shifted up.
const fn five(decimals: usize) -> (u64, u32) {
    let five = 5_u64.pow(decimals as u32);
    (five << five.leading_zeros(), five.leading_zeros())
}

/// For each k: (2^127 - 1) / 5^k, rounded down, so that 2^127 / 5^k is larger by at most 1; and the shift of [`five`] less k.
const FIVES: [(u64, i32); MOST_DIGITS + 1] = {
    let mut fives = [(0, 0); MOST_DIGITS + 1];
    let mut k = 0;
    while k < fives.len() {
        let (five, shift) = five(k);
        fives[k] = (((u128::MAX >> 1) / five as u128) as u64, shift as i32 - k as i32);
        k += 1;
    }
    fives
};

/// `whole` / 10^`decimals`, rounded once.
#[inline]
fn quotient(whole: u64, decimals: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    // 10^k is 5^k 2^k. Both 5^k and the number are shifted up to the highest bit.
    let (shift, (reciprocal, five_shift)) = (whole.leading_zeros(), FIVES[decimals]);
    let product = u128::from(whole << shift) * u128::from(reciprocal);
    // Half of the upper half of the product, so that it is a signed number. The exact quotient is not smaller, and larger by
    // less than 2: if both ends round to the same number, so does what is between them.
    let low = (product >> 65) as i64;
    let exponent = five_shift - shift as i32;
    if low as f64 == (low + 2) as f64 { scaled(low as f64, exponent - 62) } else { divided(whole, decimals) }
}

/// The same by a division, for the few quotients near the middle between two numbers.
#[cold]
fn divided(whole: u64, decimals: usize) -> f64 {
    let (shift, (five, five_shift)) = (whole.leading_zeros(), five(decimals));
    // The quotient has at least 62 bits; what is left of the division becomes its lowest bit, which is far below the last bit
    // that stays.
    let (numerator, denominator) = (u128::from(whole << shift) << 63, u128::from(five));
    let quotient = (numerator / denominator) as u64;
    let is_inexact = u128::from(quotient) * denominator != numerator;
    let exponent = five_shift as i32 - shift as i32 - decimals as i32;
    scaled((quotient | u64::from(is_inexact)) as f64, exponent - 63)
}

/// `number` 2^`exponent`, which is exact: neither the power nor the product is too large or too small for a normal number.
#[inline]
fn scaled(number: f64, exponent: i32) -> f64 {
    number * f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of 64 random bits.
    fn words() -> impl Iterator<Item = u64> {
        let mut bits = 88_172_645_463_325_252_u64;
        std::iter::repeat_with(move || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits
        })
    }

    fn assert_read(text: &str) {
        let (number, length) = leading(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            (number.to_bits(), length),
            (text.parse::<f64>().unwrap().to_bits(), text.len()),
            "{text}"
        );
        for behind in [",7", ",-3.25,", ",0123456789"] {
            assert_eq!(leading(format!("{text}{behind}").as_bytes()), Some((number, length)));
        }
    }

    #[test]
    fn plain_numbers_are_read_to_the_nearest() {
        for text in ["0", "-0.0", "7", "1.", "0.1", "-12.5", "9007199254740993", "9007199254740992.5"] {
            assert_read(text);
        }
        for text in ["0.500000000000000000", "0.000000000000000001", "0.12345", "-1.1234567", "1.12345678"] {
            assert_read(text);
        }
        for text in ["9999999999999999999", "0.999999999999999999", "18014398509481985", "1801439850948198.5"]
        {
            assert_read(text);
        }
        for (a, b) in words().zip(words().skip(1)).take(100_000) {
            let length = 1 + a % 17;
            assert_read(&format!("{}.{:0>2$}", a % 100, b % 10_u64.pow(length as u32), length as usize));
            // From 1 to 100, so that there are no more than 19 digits.
            assert_read(&format!("{:?}", 1.0 + 99.0 * (a as f64 / u64::MAX as f64)));
            assert_read(&(a % 10_u64.pow(1 + (b % 19) as u32)).to_string());
        }
    }

    /// Between two numbers the nearest one with an even last bit, and just beside the middle the nearer one.
    #[test]
    fn middles_are_rounded_to_even() {
        for n in words().map(|word| 1 << 52 | word >> 12).take(10_000) {
            for text in [format!("{n}.5"), format!("{n}.49"), format!("{n}.51"), format!("{n}.501")] {
                assert_read(&text);
            }
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_others() {
        for text in
            ["", "-", ".5", "1e5", "1.5e-7", "nan", "inf", " 1", "1 ", "\"1\"", "+1", "1x", "--1", "1.2.3"]
        {
            assert_eq!(leading(text.as_bytes()), None, "{text}");
        }
        assert_eq!(leading(b"12345678901234567890"), None);
        assert_eq!(leading(b"0.12345678901234567890"), None);
    }
}
