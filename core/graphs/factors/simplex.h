// Projections that several kinds have in common. `point` must not overlap `target`.
#pragma once

#include <span>

namespace turbotree::graphs {

// The nearest point of the box [0, high]^n; returns the sum of its coordinates.
double clip(std::span<const double> target, double high, std::span<double> point);

// The nearest point of the simplex, z_i = max(0, target_i - threshold) with sum 1. Newton's method
// on the convex piecewise-linear sum: a few passes, started from a guess of the threshold, which
// receives the true one.
void project_on_simplex(std::span<const double> target, std::span<double> point, double& threshold);

// The nearest point of the cube whose last coordinate is the sum of the others: the same, with the
// last coordinate complemented.
void project_with_last_the_sum(std::span<const double> target, std::span<double> point,
                               double& threshold);

// The level at which the excess of the targets over it, added to `top`, makes just that level:
// level = top + sum of max(0, target_i - level). This is z_o of the nearest point with z_i <= z_o
// for all i, and z_i = min(target_i, z_o). Newton's method from a guess, as above.
double raise(std::span<const double> target, double top, double guess);

// 1 - target_i, for all i.
void complement(std::span<const double> target, std::span<double> result);

}  // namespace turbotree::graphs
