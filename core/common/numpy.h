// What the binding files share; nothing else in the core knows of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace turbotree::numpy {

template <class T, int Dimensions = 1>
using Input = nanobind::ndarray<const T, nanobind::numpy, nanobind::ndim<Dimensions>,
                                nanobind::c_contig, nanobind::device::cpu>;
template <class T, int Dimensions = 1>
using Output = nanobind::ndarray<T, nanobind::numpy, nanobind::ndim<Dimensions>>;

template <class T>
std::span<const T> view(const Input<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
nanobind::capsule owner_of(std::vector<T>* values) {
  return nanobind::capsule(values,
                           [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
}

// Hands a vector over to Python without copying it.
template <class T>
Output<T> to_numpy(std::vector<T>&& values) {
  auto* const owned = new std::vector<T>(std::move(values));
  return Output<T>(owned->data(), {owned->size()}, owner_of(owned));
}

// The same as a matrix of so many rows of this width, either of which may be 0.
template <class T>
Output<T, 2> to_numpy(std::vector<T>&& values, std::size_t rows, std::size_t width) {
  auto* const owned = new std::vector<T>(std::move(values));
  return Output<T, 2>(owned->data(), {rows, width}, owner_of(owned));
}

// The same with rows of a width that is not 0.
template <class T>
Output<T, 2> to_numpy(std::vector<T>&& values, std::size_t width) {
  const std::size_t rows = values.size() / width;
  return to_numpy(std::move(values), rows, width);
}

// Binds a vector of a class as a property: an array that keeps the object alive. With a width, a
// matrix with rows of it.
template <auto Member, int Width = 0, class Class>
void def_array(nanobind::class_<Class>& bound, const char* name) {
  using Values = std::remove_reference_t<decltype(std::declval<Class&>().*Member)>;
  using T = typename Values::value_type;
  bound.def_prop_ro(name, [](nanobind::pointer_and_handle<Class> self) {
    Values& values = self.p->*Member;
    if constexpr (Width == 0)
      return Output<T>(values.data(), {values.size()}, self.h);
    else
      return Output<T, 2>(values.data(), {values.size() / Width, Width}, self.h);
  });
}

inline void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace turbotree::numpy
