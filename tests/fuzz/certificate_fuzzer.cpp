#include <fstream>

#include "fuzz.h"
#include "places.h"
#include "plain_certificate.h"
#include "proven/certify/check.h"
#include "proven/io/scene_file.h"
#include "proven/verify/verify.h"

namespace proven::fuzz {
namespace {

struct Sample {
  SceneSource source =
      load_scene_source(std::filesystem::path(test::source_dir()) / "tests/install/scene.json")
          .value();
  Path path = {.waypoints = {{0}, {1.9}}, .times = {}, .defaulted = {}};
  Path collision = {.waypoints = {{0}, {6}}, .times = {}, .defaulted = {}};

  std::vector<std::uint8_t> certificate(const Path& motion) const {
    Scratch scratch;
    CheckOptions options;
    options.certificate = true;
    const Scene scene = build_scene(source).value();
    return check(scene, motion, options, scratch).value().certificate;
  }
};

const Sample& sample() {
  static const Sample sample;
  return sample;
}

// What is proved does not depend on what a certificate claims: the path that collides is never
// accepted as free, and a rejection has a reason.
bool judge(const std::vector<std::uint8_t>& certificate) {
  static Verifier free(sample().source, {}), collides(sample().source, {});
  const VerifyReport report = free.verify(sample().path, certificate);
  if (!report.accepted && report.reason.empty()) broken("a rejection has a reason");
  if (report.accepted && report.kind == CertificateKind::collision)
    broken("a free path has no witness of a collision");
  const VerifyReport other = collides.verify(sample().collision, certificate);
  if (other.accepted && other.kind == CertificateKind::free)
    broken("a path that collides is not proved free");
  return report.accepted || other.accepted;
}

// The bytes before the checksum.
bool whole(Bytes input) {
  std::vector<std::uint8_t> bytes(input.begin(), input.end());
  test::seal(bytes);
  return judge(bytes);
}

// The body, before it is compressed, of a certificate whose frame is right.
bool body(Bytes input) {
  static const test::PlainCertificate blank = [] {
    test::PlainCertificate c = test::read(sample().certificate(sample().path));
    c.body.clear();
    return c;
  }();
  test::PlainCertificate certificate = blank;
  certificate.body.assign(input.begin(), input.end());
  return judge(test::write(certificate));
}

std::vector<std::string> certificates() {
  std::vector<std::string> seeds;
  for (const Path* path : {&sample().path, &sample().collision}) {
    const auto bytes = sample().certificate(*path);
    seeds.emplace_back(bytes.begin(), bytes.end() - 8);
  }
  return seeds;
}

std::vector<std::string> bodies() {
  const auto plain = test::read(sample().certificate(sample().path));
  return {std::string(plain.body.begin(), plain.body.end())};
}

}  // namespace

std::vector<Fuzzer> certificate_fuzzers() {
  return {{"certificate", whole, {}, certificates}, {"certificate_body", body, {}, bodies}};
}

}  // namespace proven::fuzz
