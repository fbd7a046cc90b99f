//! A few numbers out of many.

/// The middle of the values, the mean of the middle two.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// The value below which this share of the values lies.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = sorted.len() as f64 * share;
    let index = (0..sorted.len()).rev().find(|&index| index as f64 <= below);
    index.map_or(f64::NAN, |index| sorted[index])
}

/// The largest of the values.
pub(crate) fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NAN, f64::max)
}

/// The smallest of the values.
pub(crate) fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NAN, f64::min)
}

/// The `e` for which `y = c · x^e` fits best: least squares on logarithms.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::{exponent, least, median, most, quantile};

    fn check(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn medians_and_ends() {
        check(median(&[3.0, 1.0, 2.0]), 2.0);
        check(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        check(most([1.0, 3.0, 2.0]), 3.0);
        check(least([2.0, 1.0, 3.0]), 1.0);
        check(quantile(&[4.0, 1.0, 2.0, 3.0], 0.75), 4.0);
        check(quantile(&[4.0, 1.0, 2.0, 3.0], 0.5), 3.0);
    }

    #[test]
    fn exponents() {
        check(exponent(&[(1.0, 2.0), (10.0, 20.0), (100.0, 200.0)]), 1.0);
        check(exponent(&[(1.0, 1.0), (2.0, 8.0), (4.0, 64.0)]), 3.0);
    }
}
