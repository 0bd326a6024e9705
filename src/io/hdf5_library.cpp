#include "io/hdf5_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "io/failure.h"

namespace proven::io {
namespace {

// As Debian, Ubuntu and others name it.
constexpr const char* kNames[] = {
    "libhdf5_serial.so.103", "libhdf5.so.103",    "libhdf5.so.200", "libhdf5_serial.so.310",
    "libhdf5.so.310",        "libhdf5_serial.so", "libhdf5.so"};

}  // namespace

template <class Function>
void Hdf5Library::find(Function& function, const char* name, const char* other) {
  void* symbol = dlsym(handle_, name);
  if (!symbol && other) symbol = dlsym(handle_, other);
  if (!symbol)
    fail("", fmt::format("the HDF5 library has no function {}: it is another version", name));
  function = reinterpret_cast<Function>(symbol);
}

Hdf5Library::Hdf5Library() {
  for (const char* name : kNames)
    if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle_)
    fail("",
         "files of HDF5 need its library, which is not installed (Debian: libhdf5-103-1); or save "
         "the arrays by np.savez",
         ErrorCode::unsupported);
  int (*open)() = nullptr;
  int (*version)(unsigned*, unsigned*, unsigned*) = nullptr;
  int (*report)(Id, void*, void*) = nullptr;
  find(open, "H5open");
  find(version, "H5get_libversion");
  find(report, "H5Eset_auto2");
  unsigned major = 0, minor = 0, release = 0;
  if (open() < 0 || version(&major, &minor, &release) < 0 || major != 1 || minor < 10)
    fail("",
         fmt::format("the HDF5 library is version {}.{}; at least 1.10 is needed", major, minor),
         ErrorCode::unsupported);
  report(kDefault, nullptr, nullptr);  // errors are values here
  find(open_file, "H5Fopen");
  find(close_file, "H5Fclose");
  find(open_object, "H5Oopen");
  find(close_object, "H5Oclose");
  find(type_of_id, "H5Iget_type");
  find(group_info, "H5Gget_info");
  find(link_name, "H5Lget_name_by_idx");
  find(link_info, "H5Lget_info1", "H5Lget_info");
  find(open_data_set, "H5Dopen2");
  find(space_of, "H5Dget_space");
  find(number_type_of, "H5Dget_type");
  find(dimensions, "H5Sget_simple_extent_ndims");
  find(lengths, "H5Sget_simple_extent_dims");
  find(close_space, "H5Sclose");
  find(class_of, "H5Tget_class");
  find(size_of, "H5Tget_size");
  find(close_type, "H5Tclose");
  find(select, "H5Sselect_hyperslab");
  find(make_space, "H5Screate_simple");
  find(read, "H5Dread");
  find(has_attribute, "H5Aexists");
  find(open_attribute, "H5Aopen");
  find(attribute_space, "H5Aget_space");
  find(attribute_type, "H5Aget_type");
  find(read_attribute, "H5Aread");
  find(close_attribute, "H5Aclose");
  find(is_variable, "H5Tis_variable_str");
  find(copy_type, "H5Tcopy");
  find(set_size, "H5Tset_size");
  find(characters, "H5Tget_cset");
  find(set_characters, "H5Tset_cset");
  find(reclaim, "H5Dvlen_reclaim");
  find(make_list, "H5Pcreate");
  find(set_chunk_cache, "H5Pset_chunk_cache");
  find(close_list, "H5Pclose");
  Id* value = nullptr;
  find(value, "H5T_NATIVE_DOUBLE_g");
  native_double = *value;
  find(value, "H5T_C_S1_g");
  text_type = *value;
  find(value, "H5P_CLS_DATASET_ACCESS_ID_g");
  data_set_access = *value;
}

Hdf5Library& Hdf5Library::get() {
  static Hdf5Library library;
  return library;
}

}  // namespace proven::io
