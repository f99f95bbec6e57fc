"""The command `evalsite` of the package: the site, or one command of manage.py.

evalsite                           the site with demo projects, its data in ./evalsite-data (VAR_DIR=)
evalsite measure_file game.json    any command of manage.py
evalsite mcp                       an MCP server over the API of a site (tools/mcp_server.py)
"""

import os
import sys
from pathlib import Path

TREE = str(Path(__file__).resolve().parent.parent)


def main() -> int:
    """Run it with settings for one machine, unless the environment says otherwise."""
    sys.path.insert(0, TREE)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (TREE, os.environ.get("PYTHONPATH"))))
    if sys.argv[1:2] == ["mcp"]:
        from tools.mcp_server import main as serve

        return serve()
    if sys.argv[1:2] != ["measure_file"]:
        set_up_folder()
    if len(sys.argv) > 1:
        from manage import main as manage

        manage()
        return 0
    from tools.launch import main as launch

    return launch([])


def set_up_folder() -> None:
    """Data and secrets of a site of this machine stay in its folder."""
    from tools.container import add_secrets

    folder = Path(os.environ.setdefault("VAR_DIR", "evalsite-data")).resolve()
    os.environ["VAR_DIR"] = str(folder)
    os.environ.setdefault("EVALSITE_MODE", "local")
    os.environ.setdefault("DEMO", "true")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    add_secrets(os.environ)


if __name__ == "__main__":
    sys.exit(main())
