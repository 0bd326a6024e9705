#include "roadmap/locality.h"

#include <algorithm>
#include <numeric>

namespace proven::roadmap {
namespace {

class Splitter {
 public:
  Splitter(std::span<const double> features, std::size_t dimension)
      : features_(features), dimension_(dimension) {}

  void split(std::span<std::uint32_t> items) const {
    if (items.size() < 3) return;
    std::size_t widest = 0;
    double width = -1;
    for (std::size_t axis = 0; axis < dimension_; ++axis) {
      double low = at(items[0], axis), high = low;
      for (const std::uint32_t item : items) {
        low = std::min(low, at(item, axis));
        high = std::max(high, at(item, axis));
      }
      if (high - low > width) {
        width = high - low;
        widest = axis;
      }
    }
    const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
    // Ties by number: the order is the same everywhere.
    std::nth_element(items.begin(), middle, items.end(), [&](std::uint32_t a, std::uint32_t b) {
      const double x = at(a, widest), y = at(b, widest);
      return x < y || (x == y && a < b);
    });
    // nth_element leaves the halves in an order of its own: sets are what counts.
    std::sort(items.begin(), middle);
    std::sort(middle, items.end());
    split(items.first(items.size() / 2));
    split(items.subspan(items.size() / 2));
  }

 private:
  double at(std::uint32_t item, std::size_t axis) const {
    return features_[item * dimension_ + axis];
  }
  std::span<const double> features_;
  std::size_t dimension_;
};

}  // namespace

std::vector<std::uint32_t> locality_order(std::span<const double> features, std::size_t dimension) {
  std::vector<std::uint32_t> order(dimension == 0 ? 0 : features.size() / dimension);
  std::iota(order.begin(), order.end(), 0u);
  Splitter(features, dimension).split(order);
  return order;
}

}  // namespace proven::roadmap
