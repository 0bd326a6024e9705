#ifdef PROVEN_BENCH_WITH_ROARING
#include "bench/roadmap/rivals.h"

#include <roaring/roaring.h>

namespace proven::bench {

struct RoaringUnion::State {
  std::vector<roaring_bitmap_t*> rows;
  std::vector<const roaring_bitmap_t*> chosen;
  roaring_bitmap_t* result = nullptr;
};

RoaringUnion::RoaringUnion(const roadmap::CellLists& lists) : state_(std::make_unique<State>()) {
  for (int cell = 0; cell < lists.num_cells(); ++cell) {
    const auto items = lists.at(cell);
    state_->rows.push_back(roaring_bitmap_of_ptr(items.size(), items.data()));
    roaring_bitmap_run_optimize(state_->rows.back());
    roaring_bitmap_shrink_to_fit(state_->rows.back());
  }
}

RoaringUnion::~RoaringUnion() {
  for (roaring_bitmap_t* row : state_->rows) roaring_bitmap_free(row);
  if (state_->result) roaring_bitmap_free(state_->result);
}

void RoaringUnion::make_union(std::span<const std::uint32_t> occupied) {
  state_->chosen.clear();
  for (const std::uint32_t cell : occupied) state_->chosen.push_back(state_->rows[cell]);
  if (state_->result) roaring_bitmap_free(state_->result);
  state_->result = roaring_bitmap_or_many(state_->chosen.size(), state_->chosen.data());
}

bool RoaringUnion::is_blocked(std::uint32_t edge) const {
  return state_->result && roaring_bitmap_contains(state_->result, edge);
}

std::size_t RoaringUnion::size_bytes() const {
  std::size_t size = 0;
  for (const roaring_bitmap_t* row : state_->rows)
    size += roaring_bitmap_portable_size_in_bytes(row);
  return size;
}

}  // namespace proven::bench
#endif
