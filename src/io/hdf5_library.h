// The HDF5 library, loaded when a file of it is read: nothing else needs it, and its own
// dependencies are many (docs/decisions/0011-hdf5.md).
//
// The functions are declared here by their signatures, which are the same from version 1.10 on.
// The library is used by one thread at a time: whoever calls holds the lock.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace proven::io {

class Hdf5Library {
 public:
  using Id = std::int64_t;     // hid_t
  using Size = std::uint64_t;  // hsize_t
  // H5G_info_t
  struct GroupInfo {
    int storage;
    Size links;
    std::int64_t order;
    bool mounted;
  };
  // H5L_info1_t
  struct LinkInfo {
    int type;
    bool order_valid;
    std::int64_t order;
    int characters;
    std::uint64_t value;
  };
  static constexpr int kHard = 0;                            // of LinkInfo::type
  static constexpr int kGroup = 2, kDataSet = 5;             // of H5Iget_type
  static constexpr int kInteger = 0, kFloat = 1, kText = 3;  // of H5Tget_class
  static constexpr Id kDefault = 0, kWhole = 0;              // H5P_DEFAULT, H5S_ALL
  static constexpr std::size_t kVariable = static_cast<std::size_t>(-1);

  // Fails if there is none, with the remedy.
  static Hdf5Library& get();

  std::mutex mutex;

  Id (*open_file)(const char* name, unsigned flags, Id access);
  int (*close_file)(Id);
  Id (*open_object)(Id, const char* name, Id access);
  int (*close_object)(Id);
  int (*type_of_id)(Id);
  int (*group_info)(Id, GroupInfo*);
  long (*link_name)(Id, const char* group, int index, int order, Size n, char* name,
                    std::size_t size, Id access);
  int (*link_info)(Id, const char* name, LinkInfo*, Id access);
  Id (*open_data_set)(Id, const char* name, Id access);
  Id (*space_of)(Id);
  Id (*number_type_of)(Id);
  int (*dimensions)(Id space);
  int (*lengths)(Id space, Size* lengths, Size* most);
  int (*close_space)(Id);
  int (*class_of)(Id type);
  std::size_t (*size_of)(Id type);
  int (*close_type)(Id);
  int (*select)(Id space, int how, const Size* start, const Size* stride, const Size* count,
                const Size* block);
  Id (*make_space)(int rank, const Size* lengths, const Size* most);
  int (*read)(Id data_set, Id type, Id memory, Id file, Id transfer, void* into);
  int (*has_attribute)(Id, const char* name);
  Id (*open_attribute)(Id, const char* name, Id access);
  Id (*attribute_space)(Id);
  Id (*attribute_type)(Id);
  int (*read_attribute)(Id, Id type, void* into);
  int (*close_attribute)(Id);
  int (*is_variable)(Id type);
  Id (*copy_type)(Id type);
  int (*set_size)(Id type, std::size_t size);
  int (*characters)(Id type);
  int (*set_characters)(Id type, int characters);
  int (*reclaim)(Id type, Id space, Id transfer, void* buffer);
  Id (*make_list)(Id kind);
  int (*set_chunk_cache)(Id list, std::size_t slots, std::size_t bytes, double preemption);
  int (*close_list)(Id);

  Id native_double, text_type, data_set_access;

 private:
  Hdf5Library();
  template <class Function>
  void find(Function& function, const char* name, const char* other = nullptr);

  void* handle_ = nullptr;
};

}  // namespace proven::io
