"""How a flush is run: found once for each structure of a stream, then only followed."""

from __future__ import annotations

from ...shapes import Layout, size
from ..base import Handle
from .graph import Graph
from .groups import Grouper
from .joins import join
from .lower import Lowering
from .recording import CONST
from .relay import relay
from .rules import Rules


def make_plan(fusion, nodes, live, inputs, listeners=()):
    """Plan a flush. live: per slot, whether a handle shows it; inputs: layouts.

    listeners are told of the graph, its clusters and the steps.
    """
    rules = Rules(fusion.inner)
    apart = {}  # places of ops that need a kernel of their own
    outside = {}  # of ops that stay out of the kernels of others
    while True:
        graph = Graph(nodes, live, inputs, rules.limit)
        for item in graph.items:
            item.apart = item.place in apart
            item.outside = item.place in outside
        relay(graph, rules)
        graph.settle(rules.takes)
        clusters = Grouper(graph, rules).run()
        lowering = Lowering(graph, rules, fusion.kernels)
        steps = lowering.run(clusters)
        for cluster in lowering.failed:
            _part(cluster, apart, outside)
        if lowering.failed:
            continue
        for tell in listeners:
            tell(graph, clusters, steps)
        return FlushPlan(graph, steps, lowering.joins.places)


def _part(cluster, apart, outside):
    """Note which ops of a cluster do not go together after all."""
    items = cluster.items
    if cluster.kind == "kernel" and len(items) > 1:
        outside[items[-1].place] = True
        return
    fresh = [i.place for i in items if i.place not in apart]
    if not fresh:
        raise RuntimeError("internal: %r cannot be lowered" % cluster)
    for place in fresh:
        apart[place] = True


class FlushPlan:
    """The Steps of a flush, with slots, inputs and parts as places in one list."""

    def __init__(self, graph, steps, places):
        self.steps = steps
        self.slots = len(graph.maker)
        self.size = self.slots + len(graph.inputs)
        self.live = [s for s in range(self.slots) if graph.live[s]]
        parts = {}
        for step in steps:
            step.items = None  # the graph is not needed any more
            step.ins = [self._place(r, parts) for r in step.ins]
            outs = []
            for out in step.outs:
                ref, count, dtype, layout = out[:4]
                home = out[4] if len(out) > 4 else None
                if ref in places:
                    target = places[ref][0]
                    home = (target, size(graph.storage(target)))
                outs.append((self._place(ref, parts), count, dtype, layout, home))
            step.outs = outs
        self.size += len(parts)
        self._mark_last()

    def _place(self, ref, parts):
        if isinstance(ref, tuple):
            if ref not in parts:
                parts[ref] = self.size + len(parts)
            return parts[ref]
        if ref == CONST:
            return CONST
        return ref if ref >= 0 else self.slots - 1 - ref

    def _mark_last(self):
        """After which step each buffer is read by nobody any more."""
        kept = {}
        for s in self.live:
            kept[s] = True
        seen = dict(kept)
        for step in reversed(self.steps):
            drops = []
            for place in step.ins + [o[0] for o in step.outs]:
                if place != CONST and place not in seen:
                    seen[place] = True
                    drops.append(place)
            step.drops = tuple(drops)

    def begin(self, nodes, values, inputs):
        """Return a Run of this plan."""
        slots = [None] * self.size
        error = None
        for i, v in enumerate(inputs):
            slots[self.slots + i] = v.base
            if v.error is not None:
                error = v.error
                slots[self.slots + i] = Failure(error)
        del inputs[:]
        shown = [values[s] for s in self.live]
        return Run(self, nodes, shown, slots, error)


class Failure:
    """Stands for a result that could not be computed."""

    def __init__(self, error):
        self.error = error


class Run:
    """A plan being followed; it goes on where it was interrupted."""

    def __init__(self, plan, nodes, shown, slots, error):
        self.plan = plan
        self.nodes = nodes
        self.shown = shown
        self.slots = slots
        self.at = 0
        self.error = error

    def finish(self, base):
        """Do the remaining steps; returns the first error, which spoils its results."""
        steps = self.plan.steps
        slots = self.slots
        while self.at < len(steps):
            step = steps[self.at]
            try:
                self._step(base, step, slots)
            except Exception as error:
                self._failed(step, error)
            self.at += 1
        self._show()
        return self.error

    def _step(self, base, step, slots):
        handles = [slots[i] for i in step.ins] if step.op is None else None
        if self.error is not None:
            self._check(step)
        if handles is None:
            results = self._alone(base, step)
        else:
            results = []
            for _, count, dtype, layout, home in step.outs:
                if home is None:
                    buffer = base.allocate(count, dtype)
                elif isinstance(home, int):  # over an operand
                    buffer = handles[home].buffer
                else:
                    buffer = self._home(base, home[0], home[1], dtype).buffer
                results.append(Handle(buffer, layout, dtype))
            plan = step.plan
            attrs = ()
            if step.params:
                nodes = self.nodes
                attrs = [nodes[place][kind][i] for place, kind, i in step.params]
            if plan.points:
                base.launch(plan, handles, results, attrs)
        for out, h in zip(step.outs, results):
            slots[out[0]] = h
        for place in step.drops:
            slots[place] = None

    def _alone(self, base, step):
        """Let the inner backend run one op."""
        _, _, attrs, consts = self.nodes[step.place]
        if step.joins:
            ((place, count, dtype, _, _),) = step.outs
            home = self._home(base, place, count, dtype)
            return join(base, step, self.slots, home, consts)
        inputs = []
        n = 0
        for place, (_, layout, dtype) in zip(step.ins, step.operands):
            if place == CONST:
                buffer = number_in_memory(base, consts[n], dtype).buffer
                n += 1
            else:
                buffer = self.slots[place].buffer
            inputs.append(Handle(buffer, layout, dtype))
        outs = [Handle(None, layout, dtype) for _, _, dtype, layout, _ in step.outs]
        results = base.execute(step.op, tuple(inputs), attrs, outs)
        return [base.contiguous(h) for h in results]

    def _home(self, base, place, count, dtype):
        """The handle of a joined tensor, whose parts come before it."""
        found = self.slots[place]
        if found is None:
            found = Handle(base.allocate(count, dtype), Layout((count,)), dtype)
            self.slots[place] = found
        return found

    def _check(self, step):
        """Raise what spoiled an operand."""
        for place in step.ins:
            if place != CONST and isinstance(self.slots[place], Failure):
                raise self.slots[place].error

    def _failed(self, step, error):
        if self.error is None:
            self.error = error
        for out in step.outs:
            self.slots[out[0]] = Failure(error)

    def _show(self):
        """Tell the values that they are there."""
        for s, value in zip(self.plan.live, self.shown):
            found = self.slots[s]
            if isinstance(found, Failure):
                value.error = found.error
            else:
                value.base = found
            value.stream = None


def number_in_memory(base, number, dtype):
    """A handle of one number."""
    from ...ops.creation import FILL
    from ...ops.record import Aval

    return base.execute(
        FILL, (), (number, (1,), dtype), (Aval((1,), dtype),)
    )[0]  # fmt: skip
