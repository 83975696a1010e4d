#include "graphs/bindings/bind.h"

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of turbotree.graphs.";
  turbotree::set_up_module();
  bind_graph(m);
  bind_factors(m);
  bind_answers(m);
  bind_solvers(m);
}
