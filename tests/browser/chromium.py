"""Start Chromium so that `navigator.gpu` has an adapter on a machine without GPU."""

from __future__ import annotations

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--mute-audio",
]
