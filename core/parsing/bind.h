// What the binding files of this package share.
#pragma once

#include <nanobind/nanobind.h>

#include "common/numpy.h"
#include "common/unlocked.h"
#include "parsing/arcs.h"

namespace turbotree::parsing {

// Checks that the arrays fit together.
ArcBatch make_batch(const numpy::Input<std::int32_t>& lengths,
                    const numpy::Input<std::int32_t, 2>& arcs,
                    const numpy::Input<std::int32_t>& offsets);

void bind_ancestry(nanobind::module_& m);
void bind_parts(nanobind::module_& m);

}  // namespace turbotree::parsing
