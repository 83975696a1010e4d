"""Names and versions of packages are those of PEP 508 and PEP 440."""

from __future__ import annotations

import pytest

from turbotree.errors import InputError
from turbotree.packaging import PackageNames


@pytest.mark.parametrize(
    ("name", "module", "short"),
    [
        ("turbotree-pt", "turbotree_pt", "pt"),
        ("Turbotree_PT.Bosque", "turbotree_pt_bosque", "pt-bosque"),
        ("acme-models", "acme_models", "acme-models"),
        ("t", "t", "t"),
    ],
)
def test_module_and_short_name_follow_from_the_name(name: str, module: str, short: str) -> None:
    names = PackageNames(name, "1.0")
    assert (names.module, names.short) == (module, short)
    assert names.wheel == f"{module}-1.0-py3-none-any.whl"


def test_a_short_name_can_be_chosen() -> None:
    assert PackageNames("acme-models", "1.0", "pt").file == "pt.safetensors"


@pytest.mark.parametrize("name", ["", "-pt", "pt-", "p t", "../pt", "pté", "a\n", "x" * 101])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is not the name of a package; expected letters") as told:
        PackageNames(name, "1.0")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["turbotree", "Turbotree", "json", "3d-models", "class"])
def test_a_name_that_python_could_not_import_or_confuses_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name of a package"):
        PackageNames(name, "1.0")


@pytest.mark.parametrize("version", ["1", "0.0", "2024.10.1", "1!2.0", "1.0a1.post2.dev3", "1rc0"])
def test_versions_are_canonical_ones(version: str) -> None:
    assert PackageNames("turbotree-pt", version).version == version


@pytest.mark.parametrize(
    "version", ["", "one", "v1.0", "1.0-rc1", "1.0.", "01.0", "1.0+local", "1/0", "1.0\n"]
)
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(InputError, match=r"is not the version of a package; expected 1\.0"):
        PackageNames("turbotree-pt", version)


@pytest.mark.parametrize("short", ["pt.bosque", "p/t", "-pt", " pt", "a=b", "[x]", "x" * 101])
def test_a_short_name_is_no_path(short: str) -> None:
    with pytest.raises(InputError, match="cannot be the name of a model"):
        PackageNames("turbotree-pt", "1.0", short)
