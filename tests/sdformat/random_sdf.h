// Random SDF models that use everything the reader honours.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string>
#include <vector>

#include "io/io_support.h"
#include "proven/io/mesh_file.h"

namespace proven::test {

class RandomSdf {
 public:
  explicit RandomSdf(unsigned seed) : random_(seed) {}

  std::filesystem::path write(const TemporaryFolder& folder) {
    version_ = pick(std::vector<std::string>{"1.6", "1.7", "1.8", "1.9", "1.9", "1.9"});
    must(save_stl(folder.path() / "wedge.stl", {{{0, 0, 0}, {0.2, 0, 0}, {0, 0.3, 0}, {0, 0, 0.1}},
                                                {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}}));
    std::string text = fmt::format("<pose>{}</pose>\n", numbers(6, -1, 1));
    links_.push_back("l0");
    text += "<link name=\"l0\">" + pose({}) + collisions({}) + "</link>\n";
    frames_ = {"l0"};
    if (chance(0.5))
      text +=
          "<joint name=\"base\" type=\"fixed\"><parent>world</parent><child>l0</child></joint>\n";
    const int count = 3 + below(5);
    for (int i = 1; i < count; ++i) text += newer("1.8") && chance(0.25) ? nested(i) : joined(i);
    text = "<model name=\"m\">\n" + text + "</model>";
    if (chance(0.3))  // among others
      text =
          "<world name=\"w\"><gravity>0 0 -9</gravity><model name=\"other\"><static>1</static>"
          "<link name=\"l0\"/></model>" +
          text + "<light name=\"sun\" type=\"point\"/></world>";
    return folder.write("model.sdf", fmt::format("<sdf version=\"{}\">{}</sdf>\n", version_, text));
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  template <class T>
  T pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  bool newer(const std::string& version) const { return version_ >= version; }
  std::string numbers(int n, double low, double high) {
    std::vector<double> v;
    for (int i = 0; i < n; ++i) v.push_back(uniform(low, high));
    return fmt::format("{}", fmt::join(v, " "));
  }

  // A pose relative to one of the frames, or to what the element stands in by itself.
  std::string pose(const std::vector<std::string>& frames, bool say_frame = false) {
    std::string attributes;
    if (newer("1.7") && !frames.empty() && (say_frame || chance(0.5)))
      attributes += fmt::format(" relative_to=\"{}\"", pick(frames));
    const int kind = newer("1.9") ? below(3) : 0;
    if (kind == 0 && !say_frame && chance(0.2)) return "";
    if (kind == 1)
      return fmt::format("<pose{} degrees=\"true\">{} {}</pose>", attributes, numbers(3, -0.5, 0.5),
                         numbers(3, -170, 170));
    if (kind == 2) {
      const double a = uniform(-3, 3), b = uniform(-1, 1);
      return fmt::format("<pose{} rotation_format=\"quat_xyzw\">{} {} {} {} {}</pose>", attributes,
                         numbers(3, -0.5, 0.5), std::sin(a) * std::cos(b),
                         std::sin(a) * std::sin(b), 0.0, std::cos(a));
    }
    return fmt::format("<pose{}>{}</pose>", attributes, numbers(6, -1.5, 1.5));
  }

  std::string collisions(const std::vector<std::string>& frames) {
    std::string text;
    for (int i = 1 + below(3); i > 0; --i)
      text += fmt::format("<collision name=\"c{}\">{}<geometry>{}</geometry></collision>\n", i,
                          pose(frames), shape());
    return text + "<inertial><mass>1</mass></inertial>";
  }
  std::string shape() {
    const auto round = [&](const char* name) {
      return fmt::format("<{0}><radius>{1}</radius><length>{2}</length></{0}>", name,
                         uniform(0.02, 0.1), uniform(0.05, 0.2));
    };
    switch (below(newer("1.8") ? 5 : 4)) {
      case 0:
        return fmt::format("<box><size>{}</size></box>", numbers(3, 0.05, 0.2));
      case 1:
        return fmt::format("<sphere><radius>{}</radius></sphere>", uniform(0.02, 0.1));
      case 2:
        return round("cylinder");
      case 3:
        return fmt::format("<mesh><uri>wedge.stl</uri><scale>{}</scale></mesh>",
                           numbers(3, 0.5, 2));
      default:
        return round("capsule");
    }
  }

  std::string axis(const std::string& type) {
    std::string frame, old;
    if (newer("1.7") && chance(0.5)) {
      std::vector<std::string> all = frames_;
      all.push_back("__model__");
      frame = fmt::format(" expressed_in=\"{}\"", pick(all));
    }
    if (version_ == "1.6" && chance(0.5))
      old = "<use_parent_model_frame>true</use_parent_model_frame>";
    std::string limit = type == "continuous" || (type == "revolute" && chance(0.3))
                            ? "<limit/>"
                            : "<limit><lower>-1.5</lower><upper>2.5</upper><velocity>3</velocity>"
                              "</limit>";
    if (version_ == "1.6" && limit == "<limit/>")
      limit = "<limit><lower>-1e16</lower><upper>1e16</upper></limit>";
    return fmt::format("<axis><xyz{}>{}</xyz>{}{}</axis>", frame, numbers(3, -1, 1), old, limit);
  }

  std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                    const std::string& place) {
    std::vector<std::string> types = {"revolute", "prismatic", "fixed", "revolute"};
    if (newer("1.7")) types.push_back("continuous");
    const std::string type = pick(types);
    return fmt::format(
        "<joint name=\"{}\" type=\"{}\">{}<parent>{}</parent><child>{}</child>{}"
        "</joint>\n",
        name, type, place, parent, child, type == "fixed" ? "" : axis(type));
  }

  // A link that hangs on one before it; either it is placed first, or its joint.
  std::string joined(int index) {
    const std::string link = fmt::format("l{}", index), name = fmt::format("j{}", index);
    std::string parent = pick(links_), text;
    if (newer("1.7") && chance(0.3)) {
      const std::string frame = fmt::format("f{}", index);
      text += fmt::format("<frame name=\"{}\" attached_to=\"{}\">{}</frame>\n", frame, parent,
                          pose(frames_));
      parent = frame;
      frames_.push_back(frame);
    }
    const std::vector<std::string> before = frames_;
    if (newer("1.7") && chance(0.4)) {
      const std::string at_joint =
          chance(0.5) ? fmt::format("<pose relative_to=\"{}\"/>", name) : pose({name}, true);
      text += fmt::format("<link name=\"{}\">{}{}</link>\n", link, at_joint, collisions(before));
      text += joint(name, parent, link, pose(before, true));
    } else {
      text +=
          fmt::format("<link name=\"{}\">{}{}</link>\n", link, pose(before), collisions(before));
      std::vector<std::string> all = before;
      all.push_back(link);
      text += joint(name, parent, link, chance(0.5) ? "" : pose(all));
    }
    links_.push_back(link);
    frames_.push_back(link);
    frames_.push_back(name);
    return text;
  }

  // A model with two links, of which the first hangs on one of ours.
  std::string nested(int index) {
    const std::string name = fmt::format("n{}", index);
    const std::vector<std::string> outer = frames_;
    std::string inner = pose(outer);
    inner += "<link name=\"a\">" + pose({}) + collisions({}) + "</link>\n";
    inner += "<link name=\"b\">" + pose({"a"}) + collisions({"a"}) + "</link>\n";
    frames_ = {"a", "b"};
    inner += joint("j", "a", "b", pose({"a", "b"}));
    frames_ = outer;
    std::string text = fmt::format("<model name=\"{}\"{}>{}</model>\n", name,
                                   chance(0.5) ? " placement_frame=\"b\"" : "", inner);
    text += joint(fmt::format("j{}", index), pick(links_), name + "::a", pose(outer));
    links_.push_back(name + "::b");
    frames_.push_back(name + "::a");
    frames_.push_back(name);
    return text;
  }

  std::mt19937 random_;
  std::string version_;
  std::vector<std::string> links_, frames_;
};

}  // namespace proven::test
