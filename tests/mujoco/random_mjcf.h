// Random MJCF models that use everything the reader honours.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string>
#include <vector>

#include "io/io_support.h"
#include "proven/io/mesh_file.h"

namespace proven::test {

class RandomMjcf {
 public:
  explicit RandomMjcf(unsigned seed) : random_(seed) {}

  // The main file; beside it an included file and a folder of meshes.
  std::filesystem::path write(const TemporaryFolder& folder) {
    degree_ = chance(0.5);
    const std::vector<std::string> sequences = {"xyz", "XYZ", "zyx", "ZYX", "xYz", "zxz", "YXZ"};
    autolimits_ = chance(0.5);
    const std::string compiler = fmt::format(
        "<compiler {}eulerseq=\"{}\" autolimits=\"{}\" meshdir=\"parts\" "
        "inertiafromgeom=\"auto\"/>",
        degree_ ? "angle=\"degree\" " : "angle=\"radian\" ", pick(sequences), autolimits_);
    write_meshes(folder);
    std::string world = random_geoms(-1);
    while (num_bodies_ < 9) world += body(0);
    folder.write("settings.xml", "<mujocoinclude>" + defaults() + assets() + "</mujocoinclude>");
    folder.write("arm.xml", "<mujocoinclude>" + body(1) + "</mujocoinclude>");
    const std::string text = fmt::format(
        "<mujoco model=\"random\">\n{}\n<size nconmax=\"500\" njmax=\"3000\"/>\n"
        "<include file=\"settings.xml\"/>\n<worldbody>{}\n"
        "<include file=\"arm.xml\"/></worldbody>\n<contact>{}</contact>\n<equality>{}</equality>\n"
        "<keyframe>{}</keyframe>\n</mujoco>\n",
        compiler, world, excludes(), couplings(), "<key name=\"start\"/>");
    return folder.write("model.xml", text);
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  std::string numbers(int n, double low, double high) {
    std::vector<double> v;
    for (int i = 0; i < n; ++i) v.push_back(uniform(low, high));
    return fmt::format("{}", fmt::join(v, " "));
  }
  double angle() { return uniform(-3, 3) * (degree_ ? 57.0 : 1); }

  std::string orientation() {
    switch (below(7)) {
      case 0:
        return fmt::format(" quat=\"{}\"", numbers(4, 0.1, 1));
      case 1:
        return fmt::format(" axisangle=\"{} {}\"", numbers(3, 0.1, 1), angle());
      case 2:
        return fmt::format(" xyaxes=\"{} {}\"", numbers(3, 0.2, 1), numbers(3, -1, -0.2));
      case 3:
        return fmt::format(" zaxis=\"{}\"", numbers(3, -1, 1));
      case 4:
        return " zaxis=\"0 0 -2\"";
      case 5:
        return fmt::format(" euler=\"{} {} {}\"", angle(), angle(), angle());
      default:
        return "";
    }
  }
  std::string position() {
    return chance(0.8) ? fmt::format(" pos=\"{}\"", numbers(3, -0.3, 0.3)) : "";
  }

  // Boxes, so that MuJoCo's inertia is well defined; not around their origin.
  void write_meshes(const TemporaryFolder& folder) {
    std::filesystem::create_directories(folder.path() / "parts");
    const TriangleMesh mesh{{{0, 0, 0}, {0.2, 0, 0}, {0, 0.3, 0}, {0, 0, 0.1}, {0.2, 0.3, 0.2}},
                            {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 4}, {3, 1, 4}, {2, 3, 4}}};
    must(save_stl(folder.path() / "parts" / "wedge.stl", mesh));
  }
  std::string assets() {
    const double size = uniform(0.5, 2);
    return fmt::format(
        "<asset><mesh file=\"wedge.stl\"/><mesh name=\"flat\" class=\"small\" file=\"wedge.stl\"/>"
        "<mesh name=\"scaled\" file=\"wedge.stl\" scale=\"{}\"/>"
        "<mesh name=\"moved\" file=\"wedge.stl\" scale=\"{}\" refpos=\"{}\"/>"
        "<mesh name=\"turned\" file=\"wedge.stl\" scale=\"{} {} {}\" refpos=\"{}\" refquat=\"{}\"/>"
        "</asset>\n",
        numbers(3, 0.5, 2), numbers(3, 0.5, 2), numbers(3, -0.3, 0.3), size, size, size,
        numbers(3, -0.3, 0.3), numbers(4, 0.1, 1));
  }

  std::string defaults() {
    const std::string looks = "rgba=\"1 0 0 1\"";
    return fmt::format(
        "<default><geom size=\"{} {} {}\" {}/><joint {}damping=\"1\"/>\n"
        "<default class=\"small\"><geom size=\"0.03\" type=\"capsule\"/><joint axis=\"{}\"/>"
        "<mesh scale=\"1 0.5 0.25\"/>"
        "<default class=\"look\"><geom contype=\"0\" conaffinity=\"0\"/></default></default>\n"
        "<default class=\"bits\"><geom contype=\"2\" conaffinity=\"4\" type=\"box\"/>"
        "<joint type=\"slide\" limited=\"true\" range=\"-0.5 0.4\" pos=\"0.1 0 0\"/></default>\n"
        "</default>\n",
        uniform(0.02, 0.2), uniform(0.02, 0.2), uniform(0.02, 0.2), looks,
        chance(0.5) ? "pos=\"0.05 -0.02 0.1\" " : "", numbers(3, -1, 1));
  }

  std::string random_class() {
    const std::vector<std::string> classes = {"", "small", "bits", "main"};
    const std::string& name = pick(classes);
    return name.empty() ? "" : fmt::format(" class=\"{}\"", name);
  }

  std::string random_geoms(int body) {
    std::string text;
    const int count = body < 0 ? below(3) : 1 + below(4);
    for (int i = 0; i < count; ++i) {
      if (chance(0.15)) {
        text +=
            fmt::format("<geom class=\"look\" size=\"0.1 0.1\"{}{}/>\n", position(), orientation());
        continue;
      }
      text += "<geom" + random_class() + bits() + shape() + "/>\n";
    }
    return text;
  }
  std::string bits() {
    if (chance(0.7)) return "";
    return fmt::format(" contype=\"{}\" conaffinity=\"{}\"", below(4), below(4));
  }
  std::string shape() {
    const std::string place = position() + orientation();
    const std::string ends =
        fmt::format(" fromto=\"{} {}\"", numbers(3, -0.3, 0), numbers(3, 0, 0.3));
    switch (below(8)) {
      case 0:
        return fmt::format(" type=\"sphere\" size=\"{}\"", uniform(0.02, 0.1)) + place;
      case 1:
        return fmt::format(" type=\"capsule\" size=\"{}\"", numbers(2, 0.02, 0.1)) + place;
      case 2:
        return fmt::format(" type=\"cylinder\" size=\"{}\"", numbers(2, 0.02, 0.1)) + place;
      case 3:
        return fmt::format(" type=\"box\" size=\"{}\"", numbers(3, 0.02, 0.1)) + place;
      case 4:
        return fmt::format(" type=\"{}\" size=\"{}\"", pick(kLong), uniform(0.02, 0.1)) + ends;
      case 5:
        return fmt::format(" type=\"{}\"", pick(kLong)) + ends;
      case 6:
        return fmt::format(" type=\"mesh\" mesh=\"{}\"", pick(kMeshes)) + place;
      default:
        // The rest of the size is that of the class.
        return fmt::format(" type=\"{}\" size=\"{}\"", pick(kShort), uniform(0.02, 0.1)) + place;
    }
  }

  std::string joint(bool may_be_slide) {
    const std::string name = fmt::format("j{}", joints_.size());
    if (may_be_slide && chance(0.15)) {
      joints_.push_back(name);
      return fmt::format("<joint class=\"bits\" name=\"{}\" axis=\"{}\" ref=\"{}\"/>\n", name,
                         numbers(3, 0.1, 1), uniform(-0.2, 0.2));
    }
    joints_.push_back(name);
    std::string text = fmt::format("<joint name=\"{}\" type=\"hinge\"", name);
    if (chance(0.4)) text += " class=\"small\"";
    if (chance(0.6)) text += fmt::format(" axis=\"{}\"", numbers(3, -1, 1));
    if (chance(0.5)) text += fmt::format(" pos=\"{}\"", numbers(3, -0.2, 0.2));
    if (chance(0.4)) text += fmt::format(" ref=\"{}\"", angle());
    if (chance(0.5))
      text += fmt::format(" range=\"{} {}\"{}", degree_ ? -100.0 : -2.5, degree_ ? 170.0 : 2.0,
                          autolimits_ ? "" : " limited=\"true\"");
    return text + "/>\n";
  }

  std::string body(int depth) {
    const int index = num_bodies_++;
    const std::string name = fmt::format("b{}", index);
    bodies_.push_back(name);
    std::string text = fmt::format("<body name=\"{}\"{}{}{}>\n", name, position(), orientation(),
                                   chance(0.2) ? " childclass=\"small\"" : "");
    text += "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n";
    if (depth == 0 && chance(0.2)) {
      text += "<freejoint name=\"free" + name + "\"/>\n";
    } else {
      const int count = pick(std::vector<int>{0, 1, 1, 1, 2, 3});
      for (int i = 0; i < count; ++i) text += joint(i == 0);
    }
    text += random_geoms(index) + "<site name=\"s" + name + "\"/>\n";
    if (depth < 4 && num_bodies_ < 9)
      for (int i = 1 + below(2); i > 0; --i) text += body(depth + 1);
    return text + "</body>\n";
  }

  std::string excludes() {
    std::string text;
    for (int i = below(3); i > 0; --i) {
      const std::string a = pick(bodies_), b = pick(bodies_);
      if (a != b && excluded_.insert(std::minmax(a, b)).second)
        text += fmt::format("<exclude body1=\"{}\" body2=\"{}\"/>\n", a, b);
    }
    return text;
  }
  // Followers come after their leaders.
  std::string couplings() {
    std::string text;
    if (joints_.size() < 4) return text;
    text += fmt::format("<joint joint1=\"{}\" joint2=\"{}\" polycoef=\"{} {} 0 0 0\"/>\n",
                        joints_[2], joints_[0], uniform(-0.1, 0.1), uniform(0.2, 1.5));
    text += fmt::format("<joint joint1=\"{}\" joint2=\"{}\"/>\n", joints_[3], joints_[1]);
    return text + fmt::format("<weld body1=\"{}\" active=\"false\"/>\n", bodies_[0]);
  }

  inline static const std::vector<std::string> kLong = {"capsule", "cylinder", "box"};
  inline static const std::vector<std::string> kShort = {"sphere", "capsule", "cylinder", "box"};
  inline static const std::vector<std::string> kMeshes = {"wedge", "flat", "scaled", "moved",
                                                          "turned"};

  std::mt19937 random_;
  bool degree_ = false, autolimits_ = false;
  int num_bodies_ = 0;
  std::vector<std::string> bodies_, joints_;
  std::set<std::pair<std::string, std::string>> excluded_;
};

}  // namespace proven::test
