// The tables of sparse learning, for Python.
#pragma once

#include <nanobind/nanobind.h>

void bind_sparse_tables(nanobind::module_& m);
