"""`python -m tests.golden.regenerate`: writes all golden files anew (`./ops/golden`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.golden import perft, playthrough

FOLDER = Path(__file__).parent / "files"


def golden_files() -> Mapping[str, str]:
    """Return what every golden file should hold, by its name."""
    files = {f"{name}.log": playthrough.playthrough(name) for name in playthrough.NAMES}
    files["perft.txt"] = "".join(f"{perft.counts(name)}\n" for name in perft.POSITIONS)
    return files


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    wanted = golden_files()
    for path in FOLDER.iterdir():
        if path.name not in wanted:
            path.unlink()
    changed = [name for name, text in wanted.items() if _write(FOLDER / name, text)]
    print(f"{len(wanted)} golden files, {len(changed)} changed", *changed, sep="\n  ")


def _write(path: Path, text: str) -> bool:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    main()
