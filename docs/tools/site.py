"""Hook of mkdocs: pages on rule sets are made from the code, papers of the checkout come along, links lead where pages are."""

import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # rules are looked at and not run

from mkdocs.structure.files import File, Files  # noqa: E402

from docs.tools.games import game_page, reference_page  # noqa: E402
from envs import GAMES  # noqa: E402

OF_THE_ROOT = {
    "index.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "leaderboard.md": "leaderboard/README.md",
}
"""Pages of the site that are papers of the checkout."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
IMAGE = re.compile(r'(<img [^>]*src=")([^"]+)')


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are not files of the folder."""
    made = {f"games/{name}.md": game_page(name) for name in GAMES}
    made["reference.md"] = reference_page()
    for page, paper in OF_THE_ROOT.items():
        made[page] = (ROOT / paper).read_text(encoding="utf-8")
    for uri, text in made.items():
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Leads every link to a page of the site; what is no part of it becomes plain text."""
    uri = page.file.src_uri
    folder = PurePosixPath(OF_THE_ROOT.get(uri, f"docs/{uri}")).parent

    def lead(target: str) -> str | None:
        path, hash_, anchor = target.partition("#")
        if "://" in target or not path:
            return target
        inside = _inside(os.path.normpath(folder / path))
        if inside is None or files.get_file_from_path(inside) is None:
            return None
        return os.path.relpath(inside, PurePosixPath(uri).parent) + hash_ + anchor

    def link(found: re.Match[str]) -> str:
        target = lead(found[3])
        return found[2] if target is None else f"{found[1]}[{found[2]}]({target})"

    return IMAGE.sub(lambda found: found[1] + (lead(found[2]) or found[2]), LINK.sub(link, markdown))


def _inside(path: str) -> str | None:
    """The page or file of the site that a path of the checkout is; None where it is none."""
    papers = {paper: page for page, paper in OF_THE_ROOT.items()}
    if path in papers:
        return papers[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None
