//! Bars side by side in groups, as SVG.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

const SIZE: (u32, u32) = (720, 440);
/// By bar of a group; the parts of a bar are lighter and lighter.
const COLOURS: [RGBColor; 2] = [RGBColor(90, 90, 90), RGBColor(0, 90, 181)];
/// How much of its colour a part of a bar has.
const SHADES: [f64; 2] = [1.0, 0.45];

/// Bars that stand together.
pub(super) struct Group {
    /// What stands below them.
    pub(super) name: String,
    /// Each from the bottom up of its parts; a bar may be missing at the end.
    pub(super) bars: Vec<Vec<u64>>,
}

/// Draws groups of bars from 0 on. `bars` and `parts` name what they consist of.
///
/// # Errors
/// The drawing fails.
pub(super) fn draw(
    title: &str,
    unit: &str,
    bars: &[&str],
    parts: &[&str],
    groups: &[Group],
) -> Result<String> {
    let mut svg = String::new();
    paint(&mut svg, title, unit, (bars, parts), groups)
        .map_err(|error| anyhow!("{title}: {error}"))?;
    Ok(svg)
}

fn paint(
    svg: &mut String,
    title: &str,
    unit: &str,
    (bars, parts): (&[&str], &[&str]),
    groups: &[Group],
) -> Result<(), Box<dyn std::error::Error>> {
    let heights = groups.iter().flat_map(|group| &group.bars);
    let top = heights
        .map(|bar| bar.iter().sum::<u64>())
        .max()
        .unwrap_or(0);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..groups.len() as f64, 0..top + top / 4 + 1)?;
    let name = |at: &f64| {
        let group = groups.get(at.floor() as usize);
        let is_middle = (at.fract() - 0.5).abs() < 0.01;
        group
            .filter(|_| is_middle)
            .map_or(String::new(), |g| g.name.clone())
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * groups.len() + 1)
        .x_label_formatter(&name)
        .y_desc(unit)
        .light_line_style(WHITE)
        .draw()?;
    for (index, (bar, colour)) in bars.iter().zip(COLOURS).enumerate() {
        for (part, (shade, name)) in SHADES.into_iter().zip(parts).enumerate() {
            let fill = colour.mix(shade).filled();
            let boxes = groups.iter().enumerate().filter_map(|(group, all)| {
                let (from, to) = extent(all.bars.get(index)?, part)?;
                let left = group as f64 + 0.18 + index as f64 * 0.32;
                Some(Rectangle::new([(left, from), (left + 0.3, to)], fill))
            });
            let label = match *name {
                "" => (*bar).to_owned(),
                name => format!("{bar}: {name}"),
            };
            chart
                .draw_series(boxes)?
                .label(label)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], fill));
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(COLOURS[0])
        .draw()?;
    area.present()?;
    Ok(())
}

/// From where to where a part of a bar reaches.
fn extent(bar: &[u64], part: usize) -> Option<(u64, u64)> {
    let height = *bar.get(part)?;
    let from: u64 = bar.iter().take(part).sum();
    Some((from, from + height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_upon_each_other() {
        let bar = [3, 4];
        assert_eq!(
            [0, 1, 2].map(|part| extent(&bar, part)),
            [Some((0, 3)), Some((3, 7)), None]
        );
    }

    #[test]
    fn a_drawing_names_its_groups_bars_parts_and_unit() {
        let group = |name: &str, bars| Group {
            name: name.into(),
            bars,
        };
        let groups = [
            group("first", vec![vec![10, 20], vec![5, 5]]),
            group("second", vec![vec![10, 20]]),
        ];
        let svg = draw("a title", "steps", &["this", "that"], &["E", "S"], &groups).unwrap();
        for text in ["a title", "steps", "first", "second", "this: E", "that: S"] {
            assert!(svg.contains(text), "{text}");
        }
    }
}
