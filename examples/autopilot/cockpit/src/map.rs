//! The way that the aircraft flew, seen from above.

use autopilot_aircraft::METRE;
use autopilot_aircraft::mission::WAYPOINTS;
use autopilot_aircraft::vector::Vector;
use giornata_rt::{log, value};

/// A square on the ground, µm: as wide as two characters.
const SQUARE: i32 = METRE / 4;
/// Squares from the southern edge to home, and from the right edge to home.
const MARGIN: i32 = 3;
/// Rows from north to south, and squares in each from left to right.
const ROWS: usize = 15;
const COLUMNS: usize = 15;

/// Which squares the aircraft has been in: a row for each, and a bit for each column.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Map {
    rows: [u32; ROWS],
}

impl Map {
    /// Marks the square below a position, if it is on the map.
    pub fn mark(&mut self, position: Vector) {
        let (row, column) = square(position);
        if let Some(row) = self.rows.get_mut(row)
            && column < COLUMNS
        {
            *row |= 1 << column;
        }
    }

    /// Logs it, with the numbers of the waypoints.
    pub fn print(&self) {
        for row in 0..ROWS {
            let line = self.line(row);
            let text = core::str::from_utf8(&line).unwrap_or_default();
            log!("{}", text.trim_ascii_end());
        }
    }

    fn line(&self, row: usize) -> [u8; 2 * COLUMNS] {
        let mut line = [b' '; 2 * COLUMNS];
        for column in 0..COLUMNS {
            if self.rows[row] >> column & 1 != 0 {
                line[2 * column] = b'*';
            }
        }
        for (number, waypoint) in (b'1'..).zip(WAYPOINTS) {
            let (of, column) = square(waypoint);
            if of == row {
                // two waypoints may be one above the other
                let free = line[2 * column..].iter().position(|c| !c.is_ascii_digit());
                line[2 * column + free.unwrap_or(0)] = number;
            }
        }
        line
    }
}

/// The row and the column of a position: north is above, left is left.
fn square([x, y, _]: Vector) -> (usize, usize) {
    let squares = |length: i32| (length + SQUARE / 2).div_euclid(SQUARE) + MARGIN;
    let from_end = |size: usize, length: i32| (size as i32 - 1 - squares(length)) as usize;
    (from_end(ROWS, x), from_end(COLUMNS, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_above_and_left_is_left() {
        let (row, column) = square([0; 3]);
        assert_eq!(square([METRE, 0, 0]), (row - 4, column));
        assert_eq!(square([0, METRE, 0]), (row, column - 4));
    }

    #[test]
    fn what_is_beyond_the_edge_is_not_marked() {
        let mut map = Map::default();
        map.mark([100 * METRE, 0, 0]);
        map.mark([0, -100 * METRE, 0]);
        assert_eq!(map, Map::default());
    }

    #[test]
    fn a_line_has_marks_and_waypoints() {
        let mut map = Map::default();
        map.mark([0, METRE, 0]);
        let (row, column) = square([0; 3]);
        let line = map.line(row);
        assert_eq!(line[2 * (column - 4)], b'*');
        // home is passed twice
        assert_eq!(line[2 * column..2 * column + 2], *b"15");
    }
}
