"""`make sbom`: the software bill of materials of what the site runs on, as CycloneDX 1.6 JSON, from requirements.lock.

A package has the hashes of all its files, of which an installation uses one. A package that only some systems install
is "optional", and names them.
"""

import sys
import tomllib
from pathlib import Path

from cyclonedx.contrib.hash.factories import HashTypeFactory
from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from tools.lock import ROOT, Locked, read_lock


def main(arguments: list[str]) -> int:
    """Write the file, into var/ unless another path is given."""
    path = Path(arguments[0]) if arguments else ROOT / "var" / "evalsite.cdx.json"
    path.write_text(write_bom(list(read_lock(ROOT / "requirements.lock"))), encoding="utf-8")
    print(f"Wrote {path}.")
    return 0


def write_bom(packages: list[Locked]) -> str:
    """The bill of these packages, as text."""
    site = Component(
        type=ComponentType.APPLICATION, name="evalsite", version=read_version(), bom_ref="evalsite"
    )
    components = [make_component(package) for package in packages]
    bom = Bom(components=components)
    bom.metadata.component = site
    bom.metadata.tools.components.add(this_component())
    bom.register_dependency(site, components)
    for component in components:
        bom.register_dependency(component)
    return str(make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1))


def make_component(package: Locked) -> Component:
    """One package."""
    url = PackageURL("pypi", name=package.name.lower(), version=package.version)
    marker = [Property(name="evalsite:marker", value=package.marker)] if package.marker else []
    return Component(
        type=ComponentType.LIBRARY,
        name=package.name,
        version=package.version,
        purl=url,
        bom_ref=str(url),
        hashes=[HashTypeFactory().from_composite_str(told) for told in package.hashes],
        scope=ComponentScope.OPTIONAL if marker else ComponentScope.REQUIRED,
        properties=marker,
    )


def read_version(root: Path = ROOT) -> str:
    """The version of the site."""
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
