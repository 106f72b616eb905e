"""Maps folders to import names; pyproject.toml has everything else.

A folder with Python files is a package and a new one needs no edit here. What lies
beside them (pages, styles, scripts, shaders) ships as data.
"""

from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent
ROOTS = {
    "fogo": "core",
    "fogo.webgpu": "webgpu",
    "fogo.wasm": "wasm",
    "fogo.web": "web",
    "fogo.native": "native",
}
SKIP = {"__pycache__", "node_modules"}
DATA = [
    "py.typed",
    *("*.css", "*.html", "*.js", "*.json", "*.mjs", "*.webmanifest"),
    *("*.ico", "*.png", "*.svg", "*.pyi"),
]


def folders(root: Path):
    """Yield `root` and the folders below it that hold shipped files."""
    yield root
    for child in sorted(root.iterdir()):
        if child.is_dir() and child.name not in SKIP and child.name[0] != ".":
            yield from folders(child)


def packages() -> dict[str, Path]:
    """Return import name -> folder, for every folder that holds Python files."""
    found = {}
    for name, top in ROOTS.items():
        if not (HERE / top).is_dir():
            continue
        for folder in folders(HERE / top):
            if any(folder.glob("*.py")):
                parts = folder.relative_to(HERE / top).parts
                found[".".join((name, *parts))] = folder
    return found


def data_of(folder: Path, taken: set[Path]) -> list[str]:
    """Return the data files of a package, with those in folders that are none."""
    files = []
    for place in folders(folder):
        if any(p in taken for p in (place, *place.parents) if folder in p.parents):
            continue
        for pattern in DATA:
            files += [str(p.relative_to(folder)) for p in place.glob(pattern)]
    return sorted(files)


FOUND = packages()
setup(
    packages=list(FOUND),
    package_dir=ROOTS,
    package_data={
        name: data_of(folder, set(FOUND.values())) for name, folder in FOUND.items()
    },
    include_package_data=False,
)
