#include "allocations/counting_new.h"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <new>

namespace {

thread_local bool counting = false;
thread_local std::int64_t allocations = 0;

void* allocate(std::size_t size, std::size_t alignment) {
  if (counting) {
    ++allocations;
    if (std::getenv("PROVEN_SHOW_ALLOCATIONS")) {
      counting = false;
      std::array<void*, 12> callers;
      backtrace_symbols_fd(callers.data(), backtrace(callers.data(), 12), STDERR_FILENO);
      (void)!write(STDERR_FILENO, "--\n", 3);
      counting = true;
    }
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = alignment > alignof(std::max_align_t)
                           ? std::aligned_alloc(alignment, rounded)
                           : std::malloc(size > 0 ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace proven::test {

void start_counting() {
  allocations = 0;
  counting = true;
}

std::int64_t stop_counting() {
  counting = false;
  return allocations;
}

}  // namespace proven::test

void* operator new(std::size_t size) {
  return allocate(size, 1);
}
void* operator new[](std::size_t size) {
  return allocate(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
