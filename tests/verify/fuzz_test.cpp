// Bytes of any kind are read without a crash, and nothing but a proof is accepted.
#include "certify/random_scenes.h"
#include "naive_producer.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {
namespace {

struct Sample {
  SceneSource source;
  Path path;
  Bytes certificate;
};

Sample make_sample() {
  for (std::uint64_t seed = 1;; ++seed) {
    Random random(seed);
    Sample sample;
    sample.source = random_scene(random, {.links = 3, .obstacles = 2});
    sample.source.exclusions.push_back({"o0", "arm/l3", "for the test"});
    const Scene scene = build(sample.source);
    sample.path.waypoints = random_segment(scene.tree(), random, 0.3);
    const verifier::Model model = verifier::build_model(sample.source, {});
    const auto proofs = NaiveProducer(model, sample.path, 0, seed).run();
    if (!proofs) continue;
    PlainCertificate certificate = blank_certificate(model, sample.path);
    certificate.body = write(*proofs);
    sample.certificate = write(certificate);
    return sample;
  }
}

TEST(Fuzz, EveryCutIsRejected) {
  const Sample sample = make_sample();
  Verifier verifier(sample.source, {});
  ASSERT_TRUE(verifier.verify(sample.path, sample.certificate).accepted);
  for (std::size_t size = 0; size < sample.certificate.size(); ++size) {
    Bytes cut(sample.certificate.begin(),
              sample.certificate.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(verifier.verify(sample.path, cut).accepted);
    seal(cut);
    if (cut == sample.certificate) continue;
    EXPECT_FALSE(verifier.verify(sample.path, cut).accepted) << size;
  }
  Bytes longer(sample.certificate.begin(), sample.certificate.end() - 8);
  longer.push_back(0);
  seal(longer);
  EXPECT_FALSE(verifier.verify(sample.path, longer).accepted);
}

TEST(Fuzz, BytesInThePlaceOfOthers) {
  const Sample sample = make_sample();
  Verifier verifier(sample.source, {});
  Random random(1);
  int accepted = 0, rejected = 0;
  for (int i = 0; i < cases(20000); ++i) {
    Bytes bytes(sample.certificate.begin(), sample.certificate.end() - 8);
    for (int k = 1 + random.index(3); k > 0; --k)
      bytes[static_cast<std::size_t>(random.index(static_cast<int>(bytes.size())))] =
          static_cast<std::uint8_t>(random.index(4) ? random.index(256) : 255 * random.index(2));
    seal(bytes);
    (verifier.verify(sample.path, bytes).accepted ? accepted : rejected) += 1;
  }
  EXPECT_GT(rejected, cases(20000) / 2);  // accepted: hashes, notes and claims that prove nothing
  EXPECT_GT(accepted, 0);
}

TEST(Fuzz, RandomBodies) {
  const Sample sample = make_sample();
  Verifier verifier(sample.source, {});
  Random random(2);
  for (int i = 0; i < cases(5000); ++i) {
    PlainCertificate certificate = read(sample.certificate);
    certificate.kind = static_cast<std::uint8_t>(random.index(2));
    certificate.body.resize(static_cast<std::size_t>(random.index(200)));
    for (auto& byte : certificate.body)
      byte = static_cast<std::uint8_t>(random.index(3) ? random.index(3) : random.index(256));
    EXPECT_FALSE(verifier.verify(sample.path, write(certificate)).accepted);
  }
}

// Bytes, or another frame, after the frame of the body but within its stored size.
TEST(Fuzz, NothingFollowsTheFrame) {
  const Sample sample = make_sample();
  const PlainCertificate certificate = read(sample.certificate);
  Bytes frame(ZSTD_compressBound(certificate.body.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), certificate.body.data(),
                             certificate.body.size(), 3));
  Bytes head(sample.certificate.begin(),
             sample.certificate.end() - static_cast<std::ptrdiff_t>(frame.size() + 8 + 8));
  for (const Bytes& tail : {Bytes{}, Bytes{0}, frame}) {
    ByteWriter w;
    w.out = head;
    w.put(frame.size() + tail.size(), 8);
    w.out.insert(w.out.end(), frame.begin(), frame.end());
    w.out.insert(w.out.end(), tail.begin(), tail.end());
    seal(w.out);
    EXPECT_EQ(verify(sample.source, sample.path, w.out).accepted, tail.empty());
  }
}

// What a certificate says about itself must be so, although nothing is proved by it.
TEST(Fuzz, HeadersMustFitSceneAndPath) {
  const Sample sample = make_sample();
  const auto reason = [&](auto change) {
    PlainCertificate certificate = read(sample.certificate);
    change(certificate);
    return verify(sample.source, sample.path, write(certificate)).reason;
  };
  EXPECT_EQ(reason([](PlainCertificate&) {}), "");
  EXPECT_NE(reason([](PlainCertificate& c) { ++c.segments; }).find("is for 2 segments"),
            std::string::npos);
  EXPECT_NE(reason([](PlainCertificate& c) { --c.tested; }).find("to test"), std::string::npos);
  const std::string others = "the certificate excludes other pairs than the scene does";
  EXPECT_EQ(reason([](PlainCertificate& c) { c.excluded.pop_back(); }), others);
  EXPECT_EQ(reason([](PlainCertificate& c) { ++c.excluded.back().b; }), others);
  EXPECT_EQ(reason([](PlainCertificate& c) { c.excluded.back().reason ^= 1; }), others);
}

TEST(Fuzz, BombsAndEndlessSplits) {
  const Sample sample = make_sample();
  VerifyOptions options;
  PlainCertificate certificate = read(sample.certificate);
  certificate.body.assign(std::size_t{1} << 26, 0);  // splits time for ever; compresses to nothing
  const Bytes bomb = write(certificate);
  EXPECT_LT(bomb.size(), 100000u);
  const VerifyReport deep = verify(sample.source, sample.path, bomb, options);
  EXPECT_NE(deep.reason.find("50 times"), std::string::npos) << deep.reason;
  options.max_bytes = 1 << 20;
  const VerifyReport large = verify(sample.source, sample.path, bomb, options);
  EXPECT_NE(large.reason.find("limit"), std::string::npos) << large.reason;
}

TEST(Fuzz, BadScenesAndPathsAreRejectedWithAReason) {
  const Sample sample = make_sample();
  const auto reason = [&](const SceneSource& source, const Path& path) {
    const VerifyReport report = verify(source, path, sample.certificate);
    EXPECT_FALSE(report.accepted);
    return report.reason;
  };
  SceneSource source = sample.source;
  source.robots[0].robot.joints[0].X_PJ.R.row[0].x = NAN;
  EXPECT_NE(reason(source, sample.path).find("rotation"), std::string::npos);
  source = sample.source;
  source.robots[0].robot.joints[0].child_link = "l2";
  EXPECT_FALSE(reason(source, sample.path).empty());
  source = sample.source;
  source.clearances.push_back({"o0", "nobody", 0.1});
  EXPECT_NE(reason(source, sample.path).find("nobody"), std::string::npos);
  source = sample.source;
  source.obstacles[1].name = source.obstacles[0].name;
  EXPECT_NE(reason(source, sample.path).find("two bodies"), std::string::npos);
  Path path = sample.path;
  path.waypoints[0][0] = NAN;
  EXPECT_NE(reason(sample.source, path).find("finite"), std::string::npos);
  path.waypoints[0].pop_back();
  EXPECT_NE(reason(sample.source, path).find("values"), std::string::npos);
  path.waypoints.clear();
  EXPECT_NE(reason(sample.source, path).find("no waypoint"), std::string::npos);
}

}  // namespace
}  // namespace proven::test
