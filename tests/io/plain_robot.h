// Real robots for programs that read other meshes than we do, or want masses.
#pragma once

#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support.h"

namespace proven::test {

inline std::vector<std::filesystem::path> real_urdfs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_dir() / "robots"))
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The URDF without looks, with boxes in place of meshes and the mass of a kilogram everywhere.
inline std::string plain_urdf(const std::filesystem::path& file) {
  tinyxml2::XMLDocument document;
  document.LoadFile(file.c_str());
  for (auto* link = document.RootElement()->FirstChildElement("link"); link;
       link = link->NextSiblingElement("link")) {
    for (const char* name : {"visual", "inertial"})
      while (auto* child = link->FirstChildElement(name)) link->DeleteChild(child);
    auto* inertial = link->InsertNewChildElement("inertial");
    inertial->InsertNewChildElement("mass")->SetAttribute("value", 1);
    auto* inertia = inertial->InsertNewChildElement("inertia");
    for (const char* name : {"ixx", "iyy", "izz"}) inertia->SetAttribute(name, 1);
    for (const char* name : {"ixy", "ixz", "iyz"}) inertia->SetAttribute(name, 0);
    for (auto* collision = link->FirstChildElement("collision"); collision;
         collision = collision->NextSiblingElement("collision")) {
      auto* geometry = collision->FirstChildElement("geometry");
      auto* mesh = geometry ? geometry->FirstChildElement("mesh") : nullptr;
      if (!mesh) continue;
      geometry->DeleteChild(mesh);
      geometry->InsertNewChildElement("box")->SetAttribute("size", "0.1 0.2 0.3");
    }
  }
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

}  // namespace proven::test
