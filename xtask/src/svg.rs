//! Plots as SVG: lines over linear or logarithmic axes, and heat maps. No more than the page needs.

use std::fmt::Write as _;

/// A plot.
pub(crate) enum Panel {
    /// Lines with a mark at each point.
    Lines(Lines),
    /// A coloured cell for each pair.
    Heat(Heat),
}

/// Lines over two axes.
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// Each with its name.
    pub(crate) series: Vec<(String, Vec<(f64, f64)>)>,
}

/// A heat map; colours are logarithmic.
pub(crate) struct Heat {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// Column, row, and the value if there is one.
    pub(crate) cells: Vec<(u32, u32, Option<f64>)>,
    /// Columns and rows are counted from 1 to this.
    pub(crate) side: u32,
    /// Decades of the colours, as powers of ten.
    pub(crate) decades: (i32, i32),
    /// What colours mean.
    pub(crate) unit: &'static str,
}

/// What an axis says.
#[derive(Clone)]
pub(crate) struct Axis {
    pub(crate) label: &'static str,
    pub(crate) logarithmic: bool,
}

/// A logarithmic axis.
pub(crate) fn logarithmic(label: &'static str) -> Axis {
    Axis { label, logarithmic: true }
}

/// A linear axis.
pub(crate) fn linear(label: &'static str) -> Axis {
    Axis { label, logarithmic: false }
}

const WIDTH: f64 = 490.0;
const HEIGHT: f64 = 360.0;
/// The frame of a panel: left, top, width, height.
const FRAME: (f64, f64, f64, f64) = (64.0, 36.0, 290.0, 268.0);
const COLOURS: [&str; 7] = ["#0b6e99", "#c8553d", "#5b8c3a", "#7d4f9e", "#b8860b", "#d1478f", "#444444"];
/// Fast is light, slow is dark.
const HEATS: [&str; 9] =
    ["#fff7d6", "#fdeaa0", "#fcd46a", "#fbb04c", "#f5823f", "#e0533c", "#b92d47", "#85184f", "#4b0d48"];
const UNDECIDED: &str = "#9aa5ad";

/// Plots side by side.
pub(crate) fn drawing(panels: &[Panel], columns: usize) -> String {
    let columns = columns.min(panels.len()).max(1);
    let (width, height) = (WIDTH * columns as f64, HEIGHT * panels.len().div_ceil(columns) as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        let (x, y) = ((i % columns) as f64 * WIDTH, (i / columns) as f64 * HEIGHT);
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        match panel {
            Panel::Lines(lines) => lines.draw(&mut out),
            Panel::Heat(heat) => heat.draw(&mut out),
        }
        out += "</g>\n";
    }
    out + "</svg>\n"
}

impl Lines {
    fn draw(&self, out: &mut String) {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let xs = Scale::over(points().map(|point| point.0), self.x.logarithmic);
        let ys = Scale::over(points().map(|point| point.1), self.y.logarithmic);
        frame(out, &self.title, &self.x, &self.y);
        ticks(out, &xs.ticks(), &ys.ticks());
        let (left, top, width, height) = FRAME;
        for (i, (name, points)) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let place = |&(x, y): &(f64, f64)| (left + width * xs.at(x), top + height * (1.0 - ys.at(y)));
            let path: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"{}/>",
                path.join(" "),
                // later lines may lie on earlier ones: let those be seen
                if i < 3 { "" } else { " stroke-dasharray=\"7 5\"" }
            );
            for (x, y) in points.iter().map(place) {
                let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{colour}\"/>");
            }
            let (x, y) = (left + width + 10.0, top + 10.0 + 15.0 * i as f64);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{}</text>", escaped(name));
        }
    }
}

impl Heat {
    fn draw(&self, out: &mut String) {
        frame(out, &self.title, &self.x, &self.y);
        let (left, top, width, height) = FRAME;
        let side = f64::from(self.side);
        let marks: Vec<(f64, String)> = (1..=self.side)
            .filter(|k| k % 10 == 0)
            .map(|k| ((f64::from(k) - 0.5) / side, k.to_string()))
            .collect();
        ticks(out, &marks, &marks);
        // one path a colour, cells as unit squares
        let scale = (width / side, height / side);
        let _ = writeln!(
            out,
            "<g transform=\"translate({left} {}) scale({:.4} -{:.4})\" shape-rendering=\"crispEdges\">",
            top + height,
            scale.0,
            scale.1
        );
        for (step, colour) in HEATS.iter().copied().chain([UNDECIDED]).enumerate() {
            let cells = self.cells.iter().filter(|(.., value)| self.step(*value) == step);
            let mut path = String::new();
            for (column, row, _) in cells {
                let _ = write!(path, "M{} {}h1v1h-1z", column - 1, row - 1);
            }
            if !path.is_empty() {
                let _ = writeln!(out, "<path fill=\"{colour}\" d=\"{path}\"/>");
            }
        }
        out.push_str("</g>\n");
        self.legend(out);
    }

    fn legend(&self, out: &mut String) {
        let (left, top, width, height) = FRAME;
        let x = left + width + 12.0;
        let each = (height - 40.0) / HEATS.len() as f64;
        for (step, colour) in HEATS.iter().enumerate() {
            let y = top + each * (HEATS.len() - 1 - step) as f64;
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y:.1}\" width=\"14\" height=\"{each:.1}\" fill=\"{colour}\"/>"
            );
        }
        let (low, high) = self.decades;
        for decade in low..=high {
            let share = f64::from(decade - low) / f64::from(high - low);
            let y = top + (height - 40.0) * (1.0 - share) + 4.0;
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{y:.1}\">{}{}</text>",
                x + 18.0,
                short(10f64.powi(decade)),
                self.unit
            );
        }
        let y = top + height - 16.0;
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" fill=\"{UNDECIDED}\"/>");
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">unknown</text>", x + 18.0, y + 11.0);
    }

    #[expect(clippy::cast_sign_loss, reason = "clamped to the steps there are")]
    fn step(&self, value: Option<f64>) -> usize {
        let Some(value) = value else { return HEATS.len() };
        let (low, high) = (f64::from(self.decades.0), f64::from(self.decades.1));
        let share = ((value.log10() - low) / (high - low)).clamp(0.0, 1.0);
        ((share * HEATS.len() as f64) as usize).min(HEATS.len() - 1)
    }
}

fn frame(out: &mut String, title: &str, x: &Axis, y: &Axis) {
    let (left, top, width, height) = FRAME;
    let (middle, bottom) = (left + width / 2.0, top + height + 36.0);
    let _ = writeln!(
        out,
        "<text x=\"{middle}\" y=\"22\" text-anchor=\"middle\" font-size=\"13\" font-weight=\"bold\">{}</text>\n\
         <rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"#fafafa\" stroke=\"#888\"/>\n\
         <text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        escaped(title),
        escaped(x.label),
        top + height / 2.0,
        escaped(y.label),
    );
}

fn ticks(out: &mut String, xs: &[(f64, String)], ys: &[(f64, String)]) {
    let (left, top, width, height) = FRAME;
    for (share, text) in xs {
        let (x, bottom) = (left + width * share, top + height);
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {bottom}v-{height}\" stroke=\"#e4e4e4\"/>\n\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
            bottom + 15.0
        );
    }
    for (share, text) in ys {
        let y = top + height * (1.0 - share);
        let _ = writeln!(
            out,
            "<path d=\"M{left} {y:.1}h{width}\" stroke=\"#e4e4e4\"/>\n\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            left - 5.0,
            y + 4.0
        );
    }
}

struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Scale {
    /// A scale with some air around the values.
    fn over(values: impl Iterator<Item = f64>, logarithmic: bool) -> Self {
        let value = |value: f64| if logarithmic { value.max(1e-9).log10() } else { value };
        let (low, high) = values
            .map(value)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let air = ((high - low) * 0.06).max(if logarithmic { 0.1 } else { 0.5 });
        Self { low: low - air, high: high + air, logarithmic }
    }

    /// Where a value is, from 0 to 1.
    fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(1e-9).log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// Round values on the scale with their places: 1, 2, 5 times powers of ten.
    fn ticks(&self) -> Vec<(f64, String)> {
        let span = self.high - self.low;
        let values: Vec<f64> = if self.logarithmic {
            let digits: &[f64] = if span < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let powers = (-9..=12).map(|power| 10f64.powi(power));
            powers.flat_map(|power| digits.iter().map(move |digit| digit * power)).collect()
        } else {
            let power = 10f64.powf((span / 8.0).log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
            let step = step.into_iter().find(|step| span / step <= 8.0).unwrap_or(span);
            let first = (self.low / step).ceil();
            (0..=8).map(|k| (first + f64::from(k)) * step).collect()
        };
        let places = values.into_iter().map(|value| (self.at(value), short(value)));
        places.filter(|(share, _)| (0.0..=1.0).contains(share)).collect()
    }
}

/// A round number in few signs.
fn short(value: f64) -> String {
    let (divided, unit) = match value.abs() {
        v if v >= 1e6 => (value / 1e6, "M"),
        v if v >= 1e3 => (value / 1e3, "k"),
        v if v >= 1.0 || v == 0.0 => (value, ""),
        v if v >= 0.999e-3 => (value * 1e3, "m"),
        _ => (value * 1e6, "µ"),
    };
    format!("{}{unit}", (divided * 1e3).round() / 1e3)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Scale, short};

    #[test]
    fn ticks_are_round() {
        let texts = |scale: Scale| scale.ticks().into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(
            texts(Scale::over([1e-4, 20.0].into_iter(), true)),
            ["100µ", "1m", "10m", "100m", "1", "10"]
        );
        assert_eq!(
            texts(Scale::over([2.0, 9.0].into_iter(), false)),
            ["2", "3", "4", "5", "6", "7", "8", "9"]
        );
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([1e6, 3e5, 5.0, 0.001, 2e-5].map(short), ["1M", "300k", "5", "1m", "20µ"]);
    }
}
