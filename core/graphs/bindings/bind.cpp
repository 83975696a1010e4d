#include "graphs/bindings/bind.h"

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of turbotree.graphs.";
  turbotree::raise_interruptions();
  bind_graph(m);
  bind_factors(m);
  bind_answers(m);
  bind_solvers(m);
}
