#include <algorithm>
#include <cmath>
#include <limits>

#include "io/sensed_readers.h"

namespace proven::io {
namespace {

double squared_distance(const Vec3& a, const Vec3& b) {
  const Vec3 d = a - b;
  return d.x * d.x + d.y * d.y + d.z * d.z;
}

// A balanced k-d tree over places, in the order of the array itself: the middle of a range splits
// it along the axis in which it is widest.
class PlaceTree {
 public:
  explicit PlaceTree(std::vector<Vec3> places) : places_(std::move(places)), axes_(places_.size()) {
    build(0, places_.size());
  }

  // To another place than that with this index.
  double nearest_to(std::size_t index) const {
    double best = std::numeric_limits<double>::infinity();
    search(0, places_.size(), places_[index], index, best);
    return best;
  }

  std::size_t size() const { return places_.size(); }

 private:
  static constexpr std::size_t kLeaf = 8;

  void build(std::size_t begin, std::size_t end) {
    if (end - begin <= kLeaf) return;
    Vec3 low = places_[begin], high = low;
    for (std::size_t i = begin; i < end; ++i)
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], places_[i][k]);
        high[k] = std::max(high[k], places_[i][k]);
      }
    const Vec3 width = high - low;
    const int axis = width.x >= width.y && width.x >= width.z ? 0 : width.y >= width.z ? 1 : 2;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return places_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [axis](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
    axes_[middle] = static_cast<std::uint8_t>(axis);
    build(begin, middle);
    build(middle + 1, end);
  }

  void search(std::size_t begin, std::size_t end, const Vec3& p, std::size_t self,
              double& best) const {
    if (end - begin <= kLeaf) {
      for (std::size_t i = begin; i < end; ++i)
        if (i != self) best = std::min(best, squared_distance(places_[i], p));
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    if (middle != self) best = std::min(best, squared_distance(places_[middle], p));
    const int axis = axes_[middle];
    const double offset = p[axis] - places_[middle][axis];
    const bool below = offset < 0;
    search(below ? begin : middle + 1, below ? middle : end, p, self, best);
    // Rounding is monotonic: a place beyond the plane is at least that far, as computed.
    if (offset * offset <= best)
      search(below ? middle + 1 : begin, below ? end : middle, p, self, best);
  }

  std::vector<Vec3> places_;
  std::vector<std::uint8_t> axes_;
};

}  // namespace

std::optional<double> spacing_radius(const std::vector<Vec3>& points) {
  std::vector<Vec3> places = points;
  const auto less = [](const Vec3& a, const Vec3& b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
  };
  std::sort(places.begin(), places.end(), less);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.size() < 2) return std::nullopt;
  const PlaceTree tree(std::move(places));
  std::vector<double> squares(tree.size());
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = tree.nearest_to(i);
  // Of n places that of rank ⌈0.95 n⌉.
  const std::size_t rank = (19 * squares.size() + 19) / 20 - 1;
  std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(rank),
                   squares.end());
  return std::sqrt(0.5 * squares[rank]);
}

}  // namespace proven::io
