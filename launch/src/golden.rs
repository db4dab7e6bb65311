//! Golden files: what a system says, line by line, on every board.
//!
//! A line that only some boards say begins with their names:
//! `@qemu-virt32,qemu-virt32-pmp| text`. The order is that of each board; lines
//! of different boards at one place may stand in any order. A first line `# for 2s`
//! says how long the runs were, if that is not the usual.

use giornata_abi::Duration;

use crate::time;

/// What a system says, over all boards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Golden {
    lines: Vec<Line>,
    /// How long the runs were, if the file says so.
    pub length: Option<Duration>,
}

/// What the first line of a file begins with that says how long the runs were.
const LENGTH: &str = "# for ";

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// The boards that say it; empty = all.
    boards: Vec<String>,
    text: String,
}

/// What a board said.
pub struct Saying {
    /// The board's name.
    pub board: String,
    /// The lines, in order.
    pub lines: Vec<String>,
}

impl Golden {
    /// Reads a golden file.
    pub fn parse(text: &str) -> Golden {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let length = first.strip_prefix(LENGTH);
        let length = length.and_then(|length| time::parse(length).ok());
        let lines = if length.is_some() { rest } else { text };
        Golden {
            lines: lines.lines().map(Line::parse).collect(),
            length,
        }
    }

    /// What a board should say.
    pub fn on(&self, board: &str) -> Vec<&str> {
        let own = self.lines.iter().filter(|line| line.is_of(board));
        own.map(|line| line.text.as_str()).collect()
    }

    /// What all these boards said; a line is marked if not every one said it there.
    pub fn of(sayings: &[Saying]) -> Golden {
        let mut lines = Vec::new();
        for saying in sayings {
            lines = merge(lines, saying);
        }
        for line in &mut lines {
            if line.boards.len() == sayings.len() {
                line.boards.clear();
            }
        }
        Golden {
            lines,
            length: None,
        }
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let lines: String = self.lines.iter().map(Line::to_text).collect();
        match self.length {
            Some(length) => format!("{LENGTH}{}\n{lines}", time::text(length)),
            None => lines,
        }
    }
}

impl Line {
    fn parse(text: &str) -> Line {
        let marked = text
            .strip_prefix('@')
            .and_then(|rest| rest.split_once("| "));
        let (boards, text) = marked.unwrap_or(("", text));
        let boards = boards.split(',').filter(|board| !board.is_empty());
        Line {
            boards: boards.map(str::to_string).collect(),
            text: text.to_string(),
        }
    }

    fn is_of(&self, board: &str) -> bool {
        self.boards.is_empty() || self.boards.iter().any(|own| own == board)
    }

    fn to_text(&self) -> String {
        if self.boards.is_empty() {
            return format!("{}\n", self.text);
        }
        format!("@{}| {}\n", self.boards.join(","), self.text)
    }
}

/// Adds what another board said, along the longest common subsequence.
fn merge(lines: Vec<Line>, saying: &Saying) -> Vec<Line> {
    let lengths = common_lengths(&lines, &saying.lines);
    let mut merged = Vec::new();
    let mut said = saying.lines.iter().enumerate().peekable();
    let alone = |text: &String| Line {
        boards: vec![saying.board.clone()],
        text: text.clone(),
    };
    for (row, mut line) in lines.into_iter().enumerate() {
        // what is only said comes as soon as it costs no common line
        while let Some((_, text)) =
            said.next_if(|(column, _)| lengths[row][column + 1] == lengths[row][*column])
        {
            merged.push(alone(text));
        }
        if said.next_if(|(_, text)| **text == line.text).is_some() {
            line.boards.push(saying.board.clone());
        }
        merged.push(line);
    }
    merged.extend(said.map(|(_, text)| alone(text)));
    merged
}

/// At `[i][j]` the length of the longest common subsequence of `lines[i..]` and
/// `said[j..]`. O(lines * said).
fn common_lengths(lines: &[Line], said: &[String]) -> Vec<Vec<u32>> {
    let mut lengths = vec![vec![0; said.len() + 1]; lines.len() + 1];
    for i in (0..lines.len()).rev() {
        for j in (0..said.len()).rev() {
            lengths[i][j] = if lines[i].text == said[j] {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saying(board: &str, lines: &str) -> Saying {
        Saying {
            board: board.into(),
            lines: lines.chars().map(String::from).collect(),
        }
    }

    fn joined(golden: &Golden, board: &str) -> String {
        golden.on(board).concat()
    }

    #[test]
    fn each_board_reads_what_it_said() {
        let all = [
            ("a", "startxend"),
            ("b", "startyyend"),
            ("c", "strtend!"),
            ("d", ""),
        ];
        let sayings: Vec<Saying> = all.iter().map(|(b, lines)| saying(b, lines)).collect();
        let golden = Golden::of(&sayings);
        let read = Golden::parse(&golden.to_text());
        assert_eq!(read, golden);
        for (board, lines) in all {
            assert_eq!(joined(&read, board), lines);
        }
    }

    #[test]
    fn a_file_says_how_long_the_runs_were_if_need_be() {
        let mut golden = Golden::of(&[saying("a", "on")]);
        assert_eq!(Golden::parse("o\nn\n"), golden);
        golden.length = Some(Duration(1_500_000_000));
        let text = golden.to_text();
        assert_eq!(text, "# for 1500ms\no\nn\n");
        assert_eq!(Golden::parse(&text), golden);
        assert_eq!(Golden::parse("# for ever\n").on("a"), ["# for ever"]);
    }

    #[test]
    fn only_what_differs_is_marked() {
        let golden = Golden::of(&[saying("a", "one"), saying("b", "ono"), saying("c", "one")]);
        assert_eq!(golden.to_text(), "o\nn\n@b| o\n@a,c| e\n");
        let same = Golden::of(&[saying("a", "one"), saying("b", "one")]);
        assert_eq!(same.to_text(), "o\nn\ne\n");
    }
}
