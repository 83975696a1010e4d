#include "features/bind_sparse.h"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "common/numpy.h"
#include "common/unlocked.h"
#include "features/scoring.h"
#include "features/tables/lazy_table.h"
#include "features/tables/scaled_table.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace turbotree;
using namespace turbotree::features;
using namespace turbotree::numpy;

namespace {

template <class Table>
void add(Table& table, const Gradient& gradient, double scale) {
  require(std::isfinite(scale), "scale: NaN or infinity");
  const Unlocked unlocked;
  table.add(gradient.keys, gradient.values, scale);
}

template <class Table>
Output<float> find_all(const Table& table, const Input<Key>& keys) {
  std::vector<float> weights;
  for (const Key key : view(keys)) weights.push_back(template_of(key) < 0 ? 0.0f : table.find(key));
  return to_numpy(std::move(weights));
}

void require_keys(const Input<Key>& keys) {
  for (const Key key : view(keys)) require(template_of(key) >= 0, "restore: not a feature's key");
}

void require_amounts(const Input<double>& amounts) {
  require(amounts.shape(0) == max_templates, "one number per template expected");
  for (const double amount : view(amounts))
    require(std::isfinite(amount) && amount >= 0.0, "a number is negative, NaN or infinite");
}

template <class Field>
auto of_groups(const ScaledTable& table, Field field) {
  std::vector<decltype(field(table.groups()[0]))> values;
  for (const ScaledTable::Group& group : table.groups()) values.push_back(field(group));
  return to_numpy(std::move(values));
}

std::tuple<Output<Key>, Output<float>> scaled_entries(const ScaledTable& table) {
  std::vector<Key> keys;
  std::vector<float> values;
  unlocked([&] {
    table.for_each([&](Key key, float value) {
      keys.push_back(key);
      values.push_back(value);
    });
  });
  return {to_numpy(std::move(keys)), to_numpy(std::move(values))};
}

void restore_scaled(ScaledTable& table, const Input<Key>& keys, const Input<float>& values,
                    const Input<double>& scales, const Input<double>& squared_norms) {
  require(keys.shape(0) == values.shape(0), "restore: lengths differ");
  require_keys(keys);
  require_amounts(scales);
  require_amounts(squared_norms);
  for (const double scale : view(scales)) require(scale > 0.0, "restore: a scale is zero");
  const Unlocked unlocked;
  table.restore(view(keys), view(values), view(scales), view(squared_norms));
}

using LazyEntries =
    std::tuple<Output<Key>, Output<float>, Output<std::uint32_t>, Output<double>, Output<double>>;

LazyEntries lazy_entries(const LazyTable& table) {
  std::vector<Key> keys;
  std::vector<float> weights;
  std::vector<std::uint32_t> steps;
  std::vector<double> products, taken;
  {
    const Unlocked unlocked;
    table.for_each([&](const LazyTable::Slot& slot) {
      keys.push_back(slot.key);
      weights.push_back(slot.weight);
      steps.push_back(slot.step);
    });
    for (const LazyTable::Steps& each : table.steps()) {
      products.push_back(each.product);
      taken.push_back(each.taken);
    }
  }
  return {to_numpy(std::move(keys)), to_numpy(std::move(weights)), to_numpy(std::move(steps)),
          to_numpy(std::move(products)), to_numpy(std::move(taken))};
}

void restore_lazy(LazyTable& table, const Input<Key>& keys, const Input<float>& weights,
                  const Input<std::uint32_t>& slot_steps, const Input<double>& products,
                  const Input<double>& taken) {
  require(keys.shape(0) == weights.shape(0) && keys.shape(0) == slot_steps.shape(0) &&
              products.shape(0) == taken.shape(0) && products.shape(0) > 0,
          "restore: lengths differ");
  require_keys(keys);
  for (const std::uint32_t step : view(slot_steps))
    require(step < products.shape(0), "restore: a step that was never taken");
  std::vector<LazyTable::Steps> steps;
  for (std::size_t i = 0; i < products.shape(0); ++i)
    steps.push_back({products.data()[i], taken.data()[i]});
  const Unlocked unlocked;
  table.restore(view(keys), view(weights), view(slot_steps), std::move(steps));
}

}  // namespace

void bind_sparse_tables(nb::module_& m) {
  nb::class_<ScaledTable>(m, "ScaledTable", "Weights of templates that shrink as a whole.")
      .def(nb::init<std::size_t>(), "expected"_a = 0)
      .def("__len__", &ScaledTable::size)
      .def_prop_ro("memory_bytes", &ScaledTable::memory_bytes)
      .def("squared_norms",
           [](const ScaledTable& table) {
             return of_groups(table, [](const ScaledTable::Group& g) { return g.squared_norm; });
           })
      .def("scales",
           [](const ScaledTable& table) {
             return of_groups(table, [](const ScaledTable::Group& g) { return g.scale; });
           })
      .def("live",
           [](const ScaledTable& table) {
             return of_groups(table, [](const ScaledTable::Group& g) {
               return static_cast<std::int64_t>(g.live);
             });
           })
      .def("add", &add<ScaledTable>, "gradient"_a, "scale"_a)
      .def(
          "scale",
          [](ScaledTable& table, const Input<double>& factors) {
            require_amounts(factors);
            unlocked([&] { table.scale(view(factors)); });
          },
          "factors"_a)
      .def(
          "threshold",
          [](ScaledTable& table, const Input<double>& amounts) {
            require_amounts(amounts);
            unlocked([&] { table.threshold(view(amounts)); });
          },
          "amounts"_a)
      .def(
          "clip",
          [](ScaledTable& table, const Input<double>& limits) {
            require_amounts(limits);
            unlocked([&] { table.clip(view(limits)); });
          },
          "limits"_a)
      .def("compact", [](ScaledTable& table) { unlocked([&] { table.compact(); }); })
      .def("find", &find_all<ScaledTable>, "keys"_a)
      .def("entries", &scaled_entries)
      .def("restore", &restore_scaled, "keys"_a, "values"_a, "scales"_a, "squared_norms"_a);

  nb::class_<LazyTable>(m, "LazyTable", "Weights of small groups whose shrinking is put off.")
      .def(nb::init<bool, std::size_t>(), "by_label"_a, "expected"_a = 0)
      .def("__len__", &LazyTable::size)
      .def_prop_ro("memory_bytes", &LazyTable::memory_bytes)
      .def_prop_ro("by_label", &LazyTable::by_label)
      .def("add", &add<LazyTable>, "gradient"_a, "scale"_a)
      .def(
          "shrink",
          [](LazyTable& table, double amount, double divisor) {
            require(std::isfinite(amount) && amount >= 0.0, "amount: 0 or more expected");
            require(std::isfinite(divisor) && divisor >= 1.0, "divisor: 1 or more expected");
            const Unlocked unlocked;
            table.shrink(amount, divisor);
          },
          "amount"_a, "divisor"_a)
      .def("compact", [](LazyTable& table) { unlocked([&] { table.compact(); }); })
      .def("find", &find_all<LazyTable>, "keys"_a)
      .def("entries", &lazy_entries)
      .def("restore", &restore_lazy, "keys"_a, "weights"_a, "slot_steps"_a, "products"_a,
           "taken"_a);
}
