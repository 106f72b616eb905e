"""fogo.compile in Chromium: training steps replayed beside the same run by Python."""

from __future__ import annotations

PROGRAM = """
import json, fogo, fogo.webgpu
from fogo import nn, optim
await fogo.webgpu.open_gpu()
base = fogo.device("webgpu")
dev = base.autodiff()

async def train(compiled, steps=12):
    base.seed(3)
    net = nn.Sequential(nn.Linear(6, 8, device=dev), nn.BatchNorm1d(8, device=dev),
                        nn.GELU(), nn.Dropout(0.25), nn.Linear(8, 3, device=dev))
    opt = optim.AdamW(net, lr=optim.CosineAnnealingLR(0.05, steps))
    score = nn.CrossEntropyLoss()
    def step(x, y):
        loss = score(net(x), y)
        opt.step(loss.backward())
        return loss
    f = fogo.compile(step) if compiled else step
    losses = []
    for i in range(steps):
        x = fogo.tensor([[((r * 7 + c * 3 + i) % 11) / 11 for c in range(6)]
                         for r in range(10)], device=dev)
        y = fogo.tensor([(r + i) % 3 for r in range(10)], device=dev)
        losses.append(f(x, y))
    values = [await loss.data_async() for loss in losses]
    weights = [await p.data_async() for p in net.parameters()]
    return values, weights, getattr(f, "plays", None)

eager, replayed = await train(False), await train(True)
json.dumps([eager, replayed, base.backend.gpu.stats()])
"""


def test_replayed_steps_are_the_same(python):
    import json

    eager, replayed, stats = json.loads(python.run(PROGRAM).value)
    assert replayed[:2] == eager[:2]
    assert replayed[2] >= 9
    assert len({*eager[0]}) == 12  # every step is another
    assert stats["dispatches"] > 100
