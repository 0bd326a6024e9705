// Which vector instructions the kernels use. A kernel is a table of functions over plain arrays
// whose one source is compiled once for each instruction set (proven_kernel in
// cmake/kernels.cmake); all give the same bits, since no operation is fused or reordered.
// docs/extending.md says how to add one.
//
// One instruction set is used by all kernels of a process: the widest that the machine has, unless
// the environment variable PROVEN_SIMD names another.
#pragma once

#include <array>
#include <atomic>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/base/words.h"

namespace proven::simd {

enum class InstructionSet { scalar, avx2, avx512 };
inline constexpr std::array kInstructionSets = {InstructionSet::scalar, InstructionSet::avx2,
                                                InstructionSet::avx512};
using proven::to_string;

// Whether it was compiled in and this machine can run it; scalar always is.
bool available(InstructionSet set);
// What all kernels use now.
InstructionSet used();
// An Error if PROVEN_SIMD names no instruction set, or one that is not available; then the widest
// is used. Programs call it at start-up and refuse to go on.
Result<void> check_environment();
// All kernels use this one from now on, or an Error if it is not available. For tests and
// benchmarks; never while another thread works.
Result<void> force(InstructionSet set);

// What a program holds of one kernel, whatever its table.
class AnyKernel {
 public:
  constexpr AnyKernel(std::string_view name, std::array<const void*, 3> tables)
      : name_(name), tables_(tables), table_(tables[0]) {}
  AnyKernel(const AnyKernel&) = delete;
  AnyKernel& operator=(const AnyKernel&) = delete;

  std::string_view name() const { return name_; }
  // Whether it was compiled for this one, which the machine has.
  bool can_run(InstructionSet set) const { return table(set) && available(set); }

 protected:
  const void* table() const { return table_.load(std::memory_order_relaxed); }
  const void* table(InstructionSet set) const { return tables_[static_cast<std::size_t>(set)]; }

 private:
  friend Result<void> force(InstructionSet set);
  friend struct Registration;
  void use(InstructionSet set) { table_.store(table(set), std::memory_order_relaxed); }

  std::string_view name_;
  std::array<const void*, 3> tables_;  // by instruction set; null where it is not compiled
  std::atomic<const void*> table_;     // scalar until it is registered
};

template <class Table>
class Kernel : public AnyKernel {
 public:
  constexpr Kernel(std::string_view name, std::array<const void*, 3> tables)
      : AnyKernel(name, tables) {}

  const Table* operator->() const { return static_cast<const Table*>(table()); }
  // For tests: the table of one instruction set, which must be available.
  const Table& of(InstructionSet set) const { return *static_cast<const Table*>(table(set)); }
};

// All kernels of this program, by name.
std::vector<const AnyKernel*> kernels();

// Puts a kernel on that list and gives it the instruction set that is used.
struct Registration {
  explicit Registration(AnyKernel& kernel);
};

}  // namespace proven::simd

// PROVEN_DECLARE_KERNEL(Table, name), in the kernel's header: the program's kernel, and the tables
// that the source defines in a namespace for each instruction set.
// PROVEN_DEFINE_KERNEL(Table, name), in one ordinary source of the layer.
#if defined(__x86_64__)
#define PROVEN_DECLARE_KERNEL(Table, name) \
  namespace scalar {                       \
  extern const Table name;                 \
  }                                        \
  namespace avx2 {                         \
  extern const Table name;                 \
  }                                        \
  namespace avx512 {                       \
  extern const Table name;                 \
  }                                        \
  extern simd::Kernel<Table> name
#define PROVEN_KERNEL_TABLES(name) \
  { &scalar::name, &avx2::name, &avx512::name }
#else
#define PROVEN_DECLARE_KERNEL(Table, name) \
  namespace scalar {                       \
  extern const Table name;                 \
  }                                        \
  extern simd::Kernel<Table> name
#define PROVEN_KERNEL_TABLES(name) \
  { &scalar::name, nullptr, nullptr }
#endif
#define PROVEN_DEFINE_KERNEL(Table, name)                                \
  constinit simd::Kernel<Table> name(#name, PROVEN_KERNEL_TABLES(name)); \
  static const simd::Registration name##_registration(name)
