// Archives of certificates: what is put in comes out, by the stream and by the index; every damaged
// byte is noticed; a stream that breaks off is mended.
#include "proven/io/proof_archive.h"

#include <fstream>
#include <sstream>

#include "proven/base/random.h"
#include "support.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

class Archives : public testing::Test {
 protected:
  void SetUp() override {
    file_ = fs::path(testing::TempDir()) / ("proven_archive_" + std::to_string(getpid()));
    fs::remove(file_);
    Random random(9);
    for (std::int64_t path = 0; records_.size() < 5; path += 1 + random.index(3)) {
      ProofRecord record{path, {}};
      for (int i = random.index(20); i > 0; --i)
        record.certificate.push_back(static_cast<std::uint8_t>(random.index(256)));
      records_.push_back(record);
    }
  }
  void TearDown() override { fs::remove(file_); }

  void write(std::size_t from, bool finished) const {
    auto archive = ProofArchive::open(file_, kHeader, records_[from].path);
    ASSERT_TRUE(archive.ok()) << archive.error().text();
    for (std::size_t i = from; i < records_.size(); ++i) {
      std::string bytes;
      ProofArchive::add_record(records_[i].path, records_[i].certificate, bytes);
      ASSERT_TRUE(archive.value().append(bytes).ok());
    }
    if (finished) {
      ASSERT_TRUE(archive.value().finish().ok());
    }
  }
  std::string bytes() const {
    std::stringstream text;
    text << std::ifstream(file_, std::ios::binary).rdbuf();
    return text.str();
  }
  void put(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }

  // How many records a stream gives; -1 if it fails. They are those that were written.
  int read(bool& complete) const {
    auto reader = ProofReader::open(file_);
    if (!reader.ok()) return -1;
    for (int i = 0;; ++i) {
      const auto record = reader.value().next();
      if (!record.ok()) return -1;
      complete = reader.value().complete();
      if (!record.value()) return i;
      EXPECT_EQ(record.value()->path, records_[static_cast<std::size_t>(i)].path);
      EXPECT_EQ(record.value()->certificate, records_[static_cast<std::size_t>(i)].certificate);
    }
  }

  static constexpr const char* kHeader = "{\"proven\":1}";
  fs::path file_;
  std::vector<ProofRecord> records_;
};

TEST_F(Archives, GiveBackWhatWasPutIn) {
  write(0, true);
  EXPECT_TRUE(is_proof_archive(file_));
  bool complete = false;
  EXPECT_EQ(read(complete), 5);
  EXPECT_TRUE(complete);
  auto reader = ProofReader::open(file_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader.value().header(), kHeader);
  std::size_t next = 0;
  for (std::int64_t path = 0; path <= records_.back().path + 1; ++path) {
    const auto found = reader.value().find(path);
    ASSERT_TRUE(found.ok()) << found.error().text();
    const bool expected = next < records_.size() && records_[next].path == path;
    ASSERT_EQ(found.value().has_value(), expected);
    if (expected) {
      EXPECT_EQ(found.value()->certificate, records_[next++].certificate);
    }
  }
}

TEST_F(Archives, NoticeEveryDamagedByte) {
  write(0, true);
  const std::string good = bytes();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    put(bad);
    bool complete = false;
    const int count = read(complete);
    // The index's own entries are judged by `find`, which looks at the record that one leads to.
    if (count >= 0 && complete) {
      auto reader = ProofReader::open(file_);
      bool all = true;
      for (const ProofRecord& record : records_) {
        const auto found = reader.value().find(record.path);
        all =
            all && found.ok() && found.value() && found.value()->certificate == record.certificate;
      }
      EXPECT_FALSE(all) << "byte " << i;
    }
  }
}

TEST_F(Archives, AreMendedWhereverTheyBreakOff) {
  write(0, true);
  const std::string good = bytes();
  for (std::size_t length = 0; length <= good.size(); length += 1 + length % 3) {
    for (const std::size_t from : {std::size_t{0}, std::size_t{3}}) {
      put(good.substr(0, length));
      // With rows up to the record `from`, what stands of it and later ones is written again.
      auto archive = ProofArchive::open(file_, kHeader, records_[from].path);
      ASSERT_TRUE(archive.ok()) << length << archive.error().text();
    }
    put(good.substr(0, length));
    write(0, true);
    ASSERT_EQ(bytes(), good) << length;
  }
  write(3, true);
  EXPECT_EQ(bytes(), good);
}

TEST_F(Archives, OfSomethingElseAreLeftAlone) {
  put("notes of mine");
  EXPECT_FALSE(ProofArchive::open(file_, kHeader, 0).ok());
  EXPECT_EQ(bytes(), "notes of mine");
  fs::remove(file_);
  write(0, true);
  const std::string good = bytes();
  EXPECT_FALSE(ProofArchive::open(file_, "{\"proven\":2}", 0).ok());
  EXPECT_EQ(bytes(), good);
}

}  // namespace
}  // namespace proven::test
