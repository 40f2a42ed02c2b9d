"""Starts `serve` of the package that this file is in. It is run as a file, so the search path does not decide which
package is used.

With ``-P`` the search path has neither the current folder nor the script's, so nothing is imported from there.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def boot() -> None:
    """Import the package from here, then serve."""
    package = Path(__file__).parents[2]
    spec = spec_from_file_location(package.name, package / "__init__.py", submodule_search_locations=[str(package)])
    assert spec is not None and spec.loader is not None
    sys.modules[package.name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    from hexagon_mlir.codegen.processes.serve import serve

    serve()


if __name__ == "__main__":
    boot()
