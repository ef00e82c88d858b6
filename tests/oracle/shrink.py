"""Shorten a list that shows a difference as far as possible."""


def shrink(parts, differs, most):
    """Leave out parts while it still differs; try at most so often."""
    runs, size = 0, max(len(parts) // 2, 1)
    while runs < most:
        at, before = 0, len(parts)
        while at < len(parts) and runs < most:
            less = parts[:at] + parts[at + size:]
            runs += 1
            if differs(less):
                parts = less
            else:
                at += size
        if size == 1 and len(parts) == before:
            break
        size = max(size // 2, 1)
    return parts
