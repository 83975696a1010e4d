// The words among which the root's only child has to be, if some are ruled out by the arcs alone.
//
// Say the candidate heads of a set of words lie in the set, the root aside. Whoever is under the
// root in a tree, one of them is; and with a single root, all of these sets share their smallest,
// the core. The words of the core form a tree with a single root by themselves; the others hang
// below them, in as many trees as they like. So the sum over all trees is a product of two.
#pragma once

#include "trees/nonprojective/matrix_tree.h"
#include "trees/types.h"

namespace turbotree::trees {

// Fills buffers.core and buffers.others. False if there are two such sets: no single root then.
bool find_root_core(const ScoreMatrix& scores, RootCoreBuffers& buffers);

// As matrix_tree_marginals with a single root, after find_root_core has found other words.
Status divided_marginals(const ScoreMatrix& scores, double* marginals, TreeSums* sums,
                         MatrixTreeWorkspace& workspace);

// The same without looking for a core: fast if every word is in it, or if there may be many roots.
Status undivided_marginals(const ScoreMatrix& scores, bool single_root, double* marginals,
                           TreeSums* sums, MatrixTreeWorkspace& workspace);

}  // namespace turbotree::trees
