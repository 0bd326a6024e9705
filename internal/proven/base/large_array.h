// Vectors whose memory, if there is much of it, comes in large pages: to touch a new page takes
// about as long as to fill it, and large ones are 512 times fewer.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace proven {

// Bytes of memory for large arrays, to be freed by std::free; throws std::bad_alloc.
void* allocate_large(std::size_t bytes);

template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_large(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

template <class T>
using LargeArray = std::vector<T, LargeAllocator<T>>;

}  // namespace proven
