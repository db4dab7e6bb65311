"""Text in columns."""


def table(heads, rows):
    """Lines: each column as wide as its widest cell, numbers to the right."""
    cells = [list(heads), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    right = [
        bool(rows) and all(_is_number(row[column]) for row in cells[1:])
        for column in range(len(heads))
    ]
    for row in cells:
        parts = zip(row, widths, right)
        line = "  ".join(cell.rjust(width) if flush else cell.ljust(width) for cell, width, flush in parts)
        yield line.rstrip()


def _is_number(cell):
    return cell in ("", "-") or cell.lstrip("<").replace(".", "").replace("/", "").isdigit()
