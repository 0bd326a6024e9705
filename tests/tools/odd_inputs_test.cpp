// `check` and `verify` take the same inputs: what one refuses the other refuses, and what one
// accepts the other does too. Joint axes, joint values, and scales of meshes.
#include "program.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

struct OddInput {
  const char* what;
  const char *axis, *scale, *value;
  bool good;
};

constexpr OddInput kInputs[] = {
    {"nothing odd", "0 0 1", "1 1 1", "0.5", true},
    {"a long axis", "0 0 250", "1 1 1", "0.5", true},
    {"a short axis", "0 0 1e-3", "1 1 1", "0.5", true},
    {"a tiny axis", "0 0 1e-12", "1 1 1", "0.5", false},
    {"an axis that vanishes in its square", "0 0 1e-170", "1 1 1", "0.5", false},
    {"no axis", "0 0 0", "1 1 1", "0.5", false},
    {"an axis with two numbers", "0 1", "1 1 1", "0.5", false},
    {"an axis that is not a number", "0 0 nan", "1 1 1", "0.5", false},
    {"an infinite axis", "0 0 inf", "1 1 1", "0.5", false},
    {"a huge axis", "0 0 1e300", "1 1 1", "0.5", false},
    {"a mirrored mesh", "0 0 1", "-1 1 1", "0.5", true},
    {"a mesh that is turned by mirrors", "0 0 1", "-1 -1 1", "0.5", true},
    {"a flat mesh", "0 0 1", "1 1 0", "0.5", false},
    {"a mesh without size", "0 0 1", "0 0 0", "0.5", false},
    {"a scale that is not a number", "0 0 1", "1 nan 1", "0.5", false},
    {"an infinite scale", "0 0 1", "1 1 inf", "0.5", false},
    {"a huge scale", "0 0 1", "1 1 1e30", "0.5", false},
    {"a scale with two numbers", "0 0 1", "1 1", "0.5", false},
    {"a tiny mesh", "0 0 1", "1e-9 1e-9 1e-9", "0.5", false},
    {"a mesh whose size vanishes", "0 0 1", "1e-320 1e-320 1e-320", "0.5", false},
    {"many turns", "0 0 1", "1 1 1", "700", true},
    {"more turns than digits", "0 0 1", "1 1 1", "1e17", false},
    {"a value that is not a number", "0 0 1", "1 1 1", "NaN", false},
    {"an infinite value", "0 0 1", "1 1 1", "1e999", false},
    {"a value in quotes", "0 0 1", "1 1 1", "\"0.5\"", false},
};

class OddInputs : public ProgramTest {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  void write(const OddInput& odd) const {
    write("tetrahedron.obj",
          "v 0.1 0 0\nv 0.3 0 0\nv 0.1 0.2 0\nv 0.1 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    write("robot.urdf",
          std::string("<robot name='r'><link name='base'/><link name='arm'><collision><geometry>"
                      "<mesh filename='tetrahedron.obj' scale='") +
              odd.scale +
              "'/></geometry></collision></link><joint name='turn' type='continuous'><parent "
              "link='base'/><child link='arm'/><axis xyz='" +
              odd.axis + "'/></joint></robot>");
    write("scene.json",
          R"({"proven": 1, "robots": [{"name": "r", "urdf": "robot.urdf"}],
              "obstacles": [{"name": "ball", "sphere": 0.1, "pose": {"xyz": [0, 0, 2]}}]})");
    write("path.json", std::string(R"({"proven": 1, "joints": ["r/turn"], "waypoints": [[0], [)") +
                           odd.value + "]]}");
  }
};

TEST_F(OddInputs, CheckAndVerifyTakeTheSame) {
  constexpr int kBadInput = 4;
  write(kInputs[0]);
  ASSERT_EQ(run_program({"check", file("scene.json"), file("path.json"), "--certificate",
                         file("plain.proof")})
                .exit_code,
            0);
  for (const OddInput& odd : kInputs) {
    SCOPED_TRACE(odd.what);
    write(odd);
    const ProgramResult check = run_program(
        {"check", file("scene.json"), file("path.json"), "--certificate", file("proof")});
    EXPECT_EQ(check.exit_code, odd.good ? 0 : kBadInput) << check.out << check.err;
    const bool proved = check.exit_code == 0;
    const ProgramResult verify = run_program(
        {"verify", file("scene.json"), file("path.json"), file(proved ? "proof" : "plain.proof")});
    EXPECT_EQ(verify.exit_code, check.exit_code) << verify.out << verify.err;
    if (!proved) {
      EXPECT_EQ(verify.err.rfind("proven:", 0), 0u) << verify.err;
    }
  }
}

}  // namespace
}  // namespace proven::test
