// How bindings run the core: without Python's lock, and ready to be interrupted.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "common/interrupt.h"

namespace turbotree {

// Whether Ctrl-C was pressed, or what this thread does is no longer wanted (turbotree.interrupts);
// the exception stays set for the binding to raise.
inline bool interrupted_by_user() {
  nanobind::gil_scoped_acquire acquire;
  if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) return true;
  try {
    nanobind::module_::import_("turbotree.interrupts").attr("check")();
  } catch (nanobind::python_error& error) {
    error.restore();
    return true;
  }
  return false;
}

// While it lives, other threads of Python run, and loops of this one can be interrupted.
class Unlocked {
  nanobind::gil_scoped_release release_;
  Watch watch_{interrupted_by_user};
};

// What work() returns, which runs while other threads of Python do.
template <class Work>
auto unlocked(Work work) {
  const Unlocked open;
  return work();
}

// To be called once by every extension module. What left a loop is what Python has set already.
// Objects that are alive when Python ends, a server's model for one, are nobody's leak.
inline void set_up_module() {
  nanobind::set_leak_warnings(false);
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Interrupted&) {
      if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace turbotree
