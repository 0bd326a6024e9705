#include "proven/base/large_array.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace proven {
namespace {

constexpr std::size_t kPage = std::size_t{1} << 21;
// Below this, ordinary memory is kept and used again by the allocator.
constexpr std::size_t kMany = 2 * kPage;

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes < kMany) {
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
    throw std::bad_alloc();
  }
  const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  void* memory = rounded < bytes ? nullptr : std::aligned_alloc(kPage, rounded);
  if (!memory) throw std::bad_alloc();
#ifdef __linux__
  (void)madvise(memory, rounded, MADV_HUGEPAGE);  // advice: without it, pages are small
#endif
  return memory;
}

}  // namespace proven
