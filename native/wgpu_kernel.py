"""Kernels of the player: pipelines, and the layouts that they share."""

from __future__ import annotations

from typing import Any

from fogo.webgpu import gpu as G

from .wgpu_fast import trusted_module

BLOCK_WORDS = 64  # 256 bytes, the alignment of dynamic offsets that is always allowed
COMPUTE = 4  # the shader stage


class Kernel:
    """A pipeline, its bind group layout and the words that its parameters take."""

    __slots__ = ("pipeline", "layout", "tag", "nbuf", "block")

    def __init__(
        self, pipeline: Any, layout: Any, tag: int, nbuf: int, block: int
    ) -> None:
        self.pipeline = pipeline
        self.layout = layout
        self.tag = (tag, block)
        self.nbuf = nbuf
        self.block = block


class Compiler:
    """Makes kernels on one device; equal patterns of access share a layout."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.layouts: dict[tuple[int, ...], tuple[Any, Any, int]] = {}

    def make(self, words: list[int], text: str) -> Kernel:
        """Return the kernel of a KERNEL or TRUSTED command."""
        access, nparams = tuple(words[4:-1]), words[-1]
        layout, pipeline_layout, tag = self._layout(access)
        name = text[3 : text.find("\n")] if text.startswith("// ") else ""
        module = None
        if words[0] == G.TRUSTED:
            module = trusted_module(self.device, name, text)
        if module is None:
            module = self.device.create_shader_module(label=name, code=text)
        pipeline = self.device.create_compute_pipeline(
            layout=pipeline_layout, compute={"module": module, "entry_point": "main"}
        )
        block = max(1, -(-nparams // BLOCK_WORDS)) * BLOCK_WORDS
        return Kernel(pipeline, layout, tag, len(access), block)

    def _layout(self, access: tuple[int, ...]) -> tuple[Any, Any, int]:
        made = self.layouts.get(access)
        if made is None:
            kinds = ("read-only-storage", "storage")
            uniform = {"type": "uniform", "has_dynamic_offset": True}
            entries = [{"binding": 0, "visibility": COMPUTE, "buffer": uniform}]
            for i, writes in enumerate(access):
                buffer = {"type": kinds[writes]}
                entries.append(
                    {"binding": i + 1, "visibility": COMPUTE, "buffer": buffer}
                )
            layout = self.device.create_bind_group_layout(entries=entries)
            whole = self.device.create_pipeline_layout(bind_group_layouts=[layout])
            made = self.layouts[access] = (layout, whole, len(self.layouts))
        return made
