// The parts of this room's extension module.
#pragma once

#include <nanobind/nanobind.h>

// Whether Ctrl-C was pressed; the exception stays set for the binding to raise.
inline bool interrupted_by_user() {
  nanobind::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

void bind_admm(nanobind::module_& m);
