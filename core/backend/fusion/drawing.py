"""An Explanation as a page: kernels from top to bottom, arrays as lines."""

from __future__ import annotations

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>fogo: %(title)s</title><style>
:root { color-scheme: light dark; --ground: #fbfaf8; --text: #23211e; --soft: #77716a;
  --line: #c9c2b8; --card: #ffffff; --elementwise: #2f7d5d; --rows: #8a5a00;
  --reduction: #1f5fa8; --around: #8b3a62; --one: #6b6b6b; }
@media (prefers-color-scheme: dark) { :root { --ground: #1a1917; --text: #ece8e1;
  --soft: #a39c92; --line: #4a463f; --card: #24221f; --elementwise: #6fc79f;
  --rows: #e0ae55; --reduction: #79b2f2; --around: #e390b8; --one: #b0b0b0; } }
body { background: var(--ground); color: var(--text); margin: 2rem auto;
  padding: 0 1rem; max-width: 60rem; font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.2rem; } p, small { color: var(--soft); }
svg { display: block; width: 100%%; height: auto; overflow: visible; }
rect { fill: var(--card); stroke-width: 1.5; } text { fill: var(--text); }
.soft { fill: var(--soft); }
path { fill: none; stroke: var(--line); stroke-width: 1.5; }
g.on path, path.on { stroke: var(--text); stroke-width: 2.5; }
#note { white-space: pre-wrap; border-top: 1px solid var(--line); max-height: 40vh;
  overflow: auto; position: sticky; bottom: 0; background: var(--ground);
  padding: .6rem 0; }
#note:empty { display: none; }
.legend span { margin-right: 1.2em; white-space: nowrap; }
.legend i { display: inline-block; width: .8em; height: .8em; border: 2px solid;
  border-radius: 3px; }
</style></head><body><h1>%(title)s</h1>
<p>Each box is a kernel; a line is an array that one writes and another reads. Point at
a box to see what it computes, and why its results are in memory.</p>
"""
_TAIL = """<div id="note"></div><script>
const note = document.getElementById("note");
for (const g of document.querySelectorAll("g[data-note]")) {
  const show = () => {
    note.textContent = g.dataset.note;
    for (const p of document.querySelectorAll("path"))
      p.classList.toggle("on", p.dataset.ends.split(" ").includes(g.dataset.number));
  };
  g.addEventListener("pointerenter", show);
  g.addEventListener("focus", show);
}
</script></body></html>
"""
_ROW = 46  # of one kernel
_LEFT = 150  # room for the lines
_WIDE = 720


def page(explanation):
    """Return the page."""
    kernels = explanation.kernels
    parts = [_HEAD % {"title": explanation.title()}, _legend()]
    if explanation.dead:
        parts.append("<p>Never run, as nobody needs them: %d</p>" % explanation.dead)
    for text in explanation.notes():
        parts.append("<p>%s</p>" % _escaped(text))
    high = _ROW * max(len(kernels), 1)
    parts.append('<svg viewBox="0 0 %d %d" role="img">' % (_LEFT + _WIDE, high))
    for i, kernel in enumerate(kernels):
        for source in _sources(kernel):
            parts.append(_line(source, i))
    for i, kernel in enumerate(kernels):
        parts.append(_box(i, kernel))
    parts.append("</svg>")
    parts.append(_TAIL)
    return "\n".join(parts)


def _legend():
    """What the colours of boxes mean."""
    shown = []
    for kind in ("elementwise", "rows", "reduction", "around an op", "one op"):
        color = kind.split(" ")[0]
        shown.append(
            '<span><i style="border-color: var(--%s)"></i> %s</span>' % (color, kind)
        )
    return '<p class="legend">%s</p>' % "\n".join(shown)


def _sources(kernel):
    found = {}
    for source, _ in kernel.reads:
        if source is not None:
            found[source] = True
    return sorted(found)


def _line(source, target):
    """A curve from one row to a later one; farther ones reach farther out."""
    a = source * _ROW + 24
    b = target * _ROW + 14
    out = min(18 + 9 * (target - source), _LEFT - 8)
    return '<path data-ends="%d %d" d="M%d %d C%d %d %d %d %d %d"/>' % (
        source,
        target,
        _LEFT,
        a,
        _LEFT - out,
        a,
        _LEFT - out,
        b,
        _LEFT,
        b,
    )


def _box(i, kernel):
    y = i * _ROW + 2
    color = kernel.kind.split(" ")[0]
    ops = ", ".join([name for name, _ in kernel.ops])
    return (
        '<g tabindex="0" data-number="%d" data-note="%s"><title>%s</title>'
        '<rect x="%d" y="%d" width="%d" height="%d" rx="6" stroke="var(--%s)"/>'
        '<text x="%d" y="%d" font-size="13" font-weight="600">%d  %s</text>'
        '<text class="soft" x="%d" y="%d" font-size="11">%s</text></g>'
        % (
            i, _escaped("Kernel %d: %s" % (i + 1, kernel)), _escaped(kernel.name),
            _LEFT, y, _WIDE - 4, _ROW - 8, color, _LEFT + 10, y + 15, i + 1,
            _escaped(kernel.name[:70]), _LEFT + 10, y + 30,
            _escaped(kernel.kind + ": " + ops)[:120],
        )
    )  # fmt: skip


def _escaped(text):
    for sign, code in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, code)
    return text
