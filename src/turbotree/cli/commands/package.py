"""``turbotree package``: a model that pip installs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from turbotree.cli.options import shared
from turbotree.cli.options.declaring import OUTPUT, Options, option, takes
from turbotree.cli.outputs.files import check_output
from turbotree.cli.process.failures import say
from turbotree.errors import InputError
from turbotree.files.sizes import bytes_text
from turbotree.models import BUNDLED
from turbotree.packaging import PackageNames, write_package


@dataclass(frozen=True, kw_only=True)
class PackageOptions(Options):
    """What ``turbotree package`` takes."""

    model: Path = shared.model()
    name: str = option(..., "Name of the package, such as turbotree-pt.", metavar="NAME")
    # --version belongs to turbotree itself.
    version: str = option(
        ..., "Version of the package; 1.0, say.", "--model-version", metavar="VERSION"
    )
    short: str | None = option(
        None,
        "Name to load the model by. Without it, NAME without turbotree-: pt.",
        metavar="NAME",
    )
    licence: str | None = option(
        None, "Licence of the data, for a model that names none.", metavar="TEXT"
    )
    output: Path = shared.output(
        default=Path("dist"), help="Folder to write the wheel to; made if needed.", metavar="DIR"
    )
    quiet: bool = shared.quiet(panel=OUTPUT)


@takes(PackageOptions)
def package(options: PackageOptions) -> None:
    """Write a model as a package that pip installs.

    The package is a wheel for every platform. It holds the model and a model card, made from the
    record of its training. Where it is installed, the model has a name: turbotree parse pt,
    tt.load("pt"). The same model gives the same bytes.
    """
    if options.short == "":
        raise InputError("--short: expected a name")
    names = PackageNames(options.name, options.version, options.short or "")
    folder = options.output
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file, expected the folder for {names.wheel}")
    if folder.exists():
        check_output(folder / names.wheel, [options.model])
    wheel = write_package(options.model, folder, names, licence=options.licence)
    if options.quiet:
        return
    typer.echo(f"{wheel}: {bytes_text(wheel.stat().st_size)}")
    if names.short in BUNDLED:
        say(f"the bundled model {names.short} comes before the one of this package")
    else:
        typer.echo(f"pip install {wheel} makes it known as {names.short}")
