// Messages of clients: what is honoured, and that everything else is refused with the place and
// nothing done.
#include "proven/io/messages.h"

#include <cstring>

#include "proven/geometry/body_geometry.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven {
namespace {

Scene demo() {
  static const Scene scene = build_scene(make_scene("demo").value()).value();
  return scene;
}

Result<EditMessage> edit(const std::string& edits, const std::string& more = "",
                         std::vector<std::uint8_t> frame = {}) {
  auto message = Message::parse("{\"do\": \"edit\"" + more + ", \"edits\": [" + edits + "]}", 3);
  if (!message.ok()) return message.error();
  message.value().set_frame(std::move(frame));
  return read_edit(message.value(), demo(), "");
}

template <class T>
void expect_refused(const Result<T>& result, std::string_view words) {
  ASSERT_FALSE(result.ok()) << words;
  EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
}

TEST(Messages, IdsComeBackAsTheyWere) {
  EXPECT_EQ(Message::parse(R"({"do": "scene"})", 1).value().id(), "null");
  EXPECT_EQ(Message::parse(R"({"do": "scene", "id": 7})", 1).value().id(), "7");
  EXPECT_EQ(Message::parse(R"({"do": "scene", "id": "a\"b"})", 1).value().id(), R"("a\"b")");
  EXPECT_EQ(id_of(R"({"id": 12, "do": "chek"})"), "12");
  EXPECT_EQ(id_of("nothing"), "null");
  expect_refused(Message::parse(R"({"do": "scene", "id": 1.5})", 1), "id");
  expect_refused(Message::parse(R"({"do": "scene", "id": [1]})", 1), "id");
}

TEST(Messages, WhatIsNoMessageIsRefused) {
  expect_refused(Message::parse("", 1), "message:1");
  expect_refused(Message::parse("[1]", 4), "message:4");
  expect_refused(Message::parse(R"({"do": "edit")", 1), "message:1");
  expect_refused(Message::parse(R"({"do": "scene"} {"do": "scene"})", 1), "message:1");
  expect_refused(Message::parse(R"({"do": "scene", "do": "stats"})", 1), "do");
  expect_refused(Message::parse(R"({"id": 1})", 1), "has no 'do'");
  expect_refused(Message::parse(R"({"do": "chek"})", 1), "did you mean 'check'");
  expect_refused(Message::parse(R"({"do": "scene", "bytes": 4})", 1), "has no frame");
  expect_refused(Message::parse(R"({"do": "edit", "bytes": -4})", 1), "bytes");
}

TEST(Messages, AConfigurationBeyondLimitsIsRefusedUnlessTheyAreIgnored) {
  const auto ask = [](const std::string& keys) {
    return read_configuration_message(
        Message::parse("{\"do\": \"configuration\", \"q\": {\"" +
                           demo().tree().coordinates()[0].joint + "\": 99}" + keys + "}",
                       1)
            .value(),
        demo());
  };
  expect_refused(ask(""), "beyond its limits");
  expect_refused(ask(R"(, "ignore_limits": false)"), "beyond its limits");
  const auto read = ask(R"(, "ignore_limits": true)");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().limits, Limits::ignore);
}

TEST(Messages, EveryKindRefusesKeysThatItDoesNotKnow) {
  const auto with = [](const std::string& kind, const std::string& keys) {
    return Message::parse("{\"do\": \"" + kind + "\"" + keys + ", \"colour\": 1}", 1).value();
  };
  const std::string words = "unknown key 'colour'";
  expect_refused(read_hello(with("hello", "")), words);
  expect_refused(read_plain(with("scene", "")), words);
  expect_refused(read_plain(with("stats", "")), words);
  expect_refused(read_name(with("status", R"(, "name": "m")")), words);
  expect_refused(read_cancel(with("cancel", R"(, "request": 1)")), words);
  expect_refused(read_edit(with("edit", R"(, "edits": [{"clear": true}])"), demo(), ""), words);
  expect_refused(read_check(with("check", R"(, "path": {})"), demo()), words);
  expect_refused(read_configuration_message(with("configuration", R"(, "q": [])"), demo()), words);
  expect_refused(read_plan(with("plan", R"(, "query": {})"), demo()), words);
  expect_refused(read_monitor(with("monitor", R"(, "name": "m", "path": {})"), demo()), words);
  expect_refused(read_advance(with("advance", R"(, "name": "m", "segment": 0)")), words);
  expect_refused(read_repair(with("repair", R"(, "name": "m")")), words);
}

TEST(Messages, EditsAreHonoured) {
  const auto made = edit(R"({"add": {"name": "new", "box": [0.2, 0.4, 0.6],
      "pose": {"xyz": [3, 0, 1], "quaternion": [0, 0, 0.70710678118654757, 0.70710678118654757]}}},
      {"move": {"name": "new", "pose": {"xyz": [3, 1, 1]}}}, {"clearance": {"self": 0.001}},
      {"put": {"name": "seen", "cloud": {"points": [[3, 0, 0], [3, 0, 0.1]], "radius": 0.02}}},
      {"put": {"name": "seen", "voxels": {"cells": [[0, 0, 9]], "size": 0.5}}})");
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Scene& scene = made.value().scene;
  EXPECT_EQ(scene.bodies().size(), demo().bodies().size() + 2);
  EXPECT_EQ(scene.body(scene.find_body("new")).X_LB, Pose::translation({3, 1, 1}));
  EXPECT_EQ(scene.clearance().self, 0.001);
  const auto elements = scene.body(scene.find_body("seen")).geometry->elements();
  ASSERT_EQ(elements.size(), 1u);
  const VoxelSet& voxels = *std::get<std::shared_ptr<const VoxelSet>>(elements[0].shape);
  EXPECT_EQ(voxels.size, 0.5);
  EXPECT_EQ(voxels.cells, (std::vector<std::array<std::int32_t, 3>>{{0, 0, 9}}));
}

TEST(Messages, EditsRefuseWhatTheyDoNotUnderstand) {
  const std::string box = R"("name": "new", "box": [1, 1, 1])";
  expect_refused(edit(""), "edits: is empty");
  expect_refused(edit("{}"), "exactly one key");
  expect_refused(edit(R"({"clear": true, "remove": "x"})"), "exactly one key");
  expect_refused(edit(R"({"clear": false})"), "must be true");
  expect_refused(edit(R"({"ad": {)" + box + "}}"), "unknown key 'ad'");
  expect_refused(edit(R"({"add": {)" + box + R"(, "posee": {}}})"), "did you mean 'pose'");
  expect_refused(edit(R"({"add": {)" + box + R"(, "pose": {"quaternoin": [0, 0, 0, 1]}}})"),
                 "did you mean 'quaternion'");
  expect_refused(edit(R"({"add": {)" + box + R"(, "pose": {"quaternion": [0, 0, 0, 2]}}})"),
                 "unit quaternion");
  expect_refused(edit(R"({"add": {)" + box + R"(, "pose": {"quaternion": [0, 0, 0]}}})"),
                 "list of 4");
  expect_refused(edit(R"({"add": {)" + box + R"(, "sphere": 1}})"), "already");
  const auto cloud = [](const std::string& parts) {
    return edit(R"({"add": {"name": "p", "cloud": {)" + parts + "}}}");
  };
  expect_refused(cloud(R"("points": [[0, 0, 0]])"), "has no 'radius'");
  expect_refused(cloud(R"("points": [[0, 0, 0]], "radius": 0)"), "positive");
  expect_refused(cloud(R"("points": [], "radius": 1)"), "there is no point");
  expect_refused(cloud(R"("points": "scan.pcd", "radius": 1)"), "belong into scene files");
  expect_refused(cloud(R"("points": [[0, 0, 0]], "radius": 1, "unknown": "free")"),
                 "unknown key 'unknown'");
  expect_refused(edit(R"({"add": {"name": "p", "parts": [{"octomap": {"file": "map.bt"}}]}})"),
                 "is no part");
  expect_refused(cloud(R"("points": [[0, 0]], "radius": 1)"), "list of 3");
  expect_refused(cloud(R"("points": [[0, 0, 0]], "radius": 1, "size": 1)"), "unknown key 'size'");
  expect_refused(edit(R"({"add": {"name": "c", "voxels": {"cells": [[0, 0, 0.5]], "size": 1}}})"),
                 "cells");
  expect_refused(edit(R"({"add": {"name": "a/b", "sphere": 1}})"), "must not hold '/'");
  expect_refused(edit(R"({"remove": "nobody"})"), "nobody");
  expect_refused(edit(R"({"move": {"name": "nobody", "pose": {}}})"), "nobody");
  expect_refused(edit(R"({"home": {}})"), "names no joint");
  expect_refused(edit(R"({"home": {"nothing": 1}})"), "nothing");
  expect_refused(edit(R"({"pair_clearance": ["a", "b"]})"), "list of 3");
  expect_refused(edit(R"({"clearance": -1})"), "not negative");
  // The second of two fails: there is no scene with the first.
  expect_refused(edit(R"({"add": {)" + box + R"(}}, {"remove": "nobody"})"), "edits[1]");
}

TEST(Messages, FramesAreReadAsTheySayAndNotBeyond) {
  const float xyz[6] = {3, 0, 1, 3, 0.5, 1.25f};
  std::vector<std::uint8_t> frame(4 + sizeof(xyz));
  std::memcpy(frame.data() + 4, xyz, sizeof(xyz));
  const auto cloud = [&](const std::string& place, const std::string& more = "") {
    return edit(
        R"({"put": {"name": "p", "cloud": {"radius": 0.1, "points": )" + place + "}" + more + "}}",
        R"(, "bytes": 28)", frame);
  };
  const auto made = cloud(R"({"type": "float32", "count": 2, "offset": 4})");
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Scene& scene = made.value().scene;
  const auto elements = scene.body(scene.find_body("p")).geometry->elements();
  ASSERT_EQ(elements.size(), 1u);
  const PointCloud& read = *std::get<std::shared_ptr<const PointCloud>>(elements[0].shape);
  EXPECT_EQ(read.radius, 0.1);
  EXPECT_EQ(read.points, (std::vector<Vec3>{{3, 0, 1}, {3, 0.5, 1.25}}));
  expect_refused(cloud(R"({"type": "float32", "count": 3, "offset": 4})"), "beyond the frame");
  expect_refused(cloud(R"({"type": "float32", "count": 2, "offset": 5})"), "beyond the frame");
  expect_refused(cloud(R"({"type": "float64", "count": 2})"), "beyond the frame");
  expect_refused(cloud(R"({"type": "int32", "count": 2})"), "points are float32");
  expect_refused(cloud(R"({"type": "float32"})"), "has no 'count'");
  expect_refused(cloud(R"({"type": "float32", "count": 2, "ofset": 4})"), "did you mean 'offset'");
  const std::string good = R"({"type": "float32", "count": 2, "offset": 4})";
  expect_refused(cloud(good, R"(, "box": [1, 1, 1])"), "there is a 'cloud' already");
  const float nan = NAN;
  std::memcpy(frame.data() + 8, &nan, sizeof(nan));
  expect_refused(cloud(good), "point 0");
  expect_refused(edit(R"({"put": {"name": "p", "cloud": {"radius": 0.1, "points":
      {"type": "float32", "count": 1}}}})"),
                 "there is no frame");
}

}  // namespace
}  // namespace proven
