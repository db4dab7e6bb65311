//! A page in Markdown, as far as the book and the tests of its pages look at it.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// What a link can name behind `#`: one for each heading.
    pub(crate) anchors: Vec<String>,
    /// In their order.
    pub(crate) links: Vec<Link>,
    /// Fenced blocks, in their order.
    pub(crate) blocks: Vec<Block>,
}

/// A link, or an image.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// From 1.
    pub(crate) line: usize,
    /// As it is written.
    pub(crate) target: String,
}

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Of its first fence, from 1.
    pub(crate) line: usize,
    /// What stands behind that fence.
    pub(crate) info: String,
    /// What stands in it.
    pub(crate) text: String,
}

impl Page {
    /// Reads a page; any text is one.
    pub(crate) fn read(text: &str) -> Page {
        let mut page = Page::default();
        let mut heading: Option<String> = None;
        let mut block: Option<Block> = None;
        let parser = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
        for (event, range) in parser {
            let line = || 1 + text[..range.start].matches('\n').count();
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.add_anchor(heading.take()),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(Link {
                        line: line(),
                        target: dest_url.to_string(),
                    });
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    block = Some(Block {
                        line: line(),
                        info: info.to_string(),
                        text: String::new(),
                    });
                }
                Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
                Event::Text(part) | Event::Code(part) => {
                    if let Some(block) = &mut block {
                        block.text += &part;
                    } else if let Some(heading) = &mut heading {
                        *heading += &part;
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Adds the anchor of a heading, as mdBook and forges make it.
    fn add_anchor(&mut self, heading: Option<String>) {
        let Some(heading) = heading else { return };
        let anchor = anchor(&heading);
        let taken = |name: &String| self.anchors.contains(name);
        let others = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = std::iter::once(anchor.clone()).chain(others);
        let free = names.find(|name| !taken(name));
        self.anchors.extend(free);
    }
}

/// Letters and digits in small, blanks as `-`, nothing else but `-` and `_`.
fn anchor(heading: &str) -> String {
    let keep = |letter: char| match letter {
        '-' | '_' => Some(letter),
        _ if letter.is_whitespace() => Some('-'),
        _ if letter.is_alphanumeric() => Some(letter),
        _ => None,
    };
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(keep)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_anchors_of_their_own() {
        let page = Page::read("# `[kernel]`: a *name*\n\n## Use\n\n## Use\n");
        assert_eq!(page.anchors, ["kernel-a-name", "use", "use-1"]);
    }

    #[test]
    fn links_and_images_are_found_with_their_lines_and_not_in_code() {
        let page = Page::read("a [b](c.md#d)\n\n![e](f.svg) `[g](h)`\n\n```\n[i](j)\n```\n");
        let link = |line, target: &str| Link {
            line,
            target: target.into(),
        };
        assert_eq!(page.links, [link(1, "c.md#d"), link(3, "f.svg")]);
    }

    #[test]
    fn blocks_have_what_stands_behind_their_fence() {
        let page = Page::read("text\n\n```toml >> system.toml\n[a]\nb = 1\n```\n");
        let [block] = &page.blocks[..] else {
            panic!("{page:?}")
        };
        assert_eq!(
            (block.line, block.info.as_str()),
            (3, "toml >> system.toml")
        );
        assert_eq!(block.text, "[a]\nb = 1\n");
    }
}
