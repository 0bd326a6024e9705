#include "verify/reader.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace proven::verifier {
namespace {

// Decompression keeps at most 2^27 bytes.
constexpr int kWindowLog = 27;
constexpr std::size_t kBufferSize = 1 << 16;

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  std::span<const std::uint8_t> take(std::uint64_t count) {
    if (count > rest_.size()) throw Rejected{"the certificate ends too early"};
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    const auto taken = take(static_cast<std::uint64_t>(bytes));
    for (std::size_t i = taken.size(); i-- > 0;) value = value << 8 | taken[i];
    return value;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  double f64() { return std::bit_cast<double>(number(8)); }
  std::string hash() {
    const std::uint64_t low = number(8), high = number(8);
    return fmt::format("{:016x}{:016x}", high, low);
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::uint8_t> rest_;
};

void require(bool holds, const char* otherwise) {
  if (!holds) throw Rejected{otherwise};
}

void check_frame(std::span<const std::uint8_t> certificate) {
  static constexpr std::uint8_t kMagic[] = {'P', 'R', 'O', 'V', 'E', 'N', 0x0D, 0x0A};
  require(certificate.size() > 16 &&
              std::equal(std::begin(kMagic), std::end(kMagic), certificate.begin()),
          "this is not a certificate (it does not begin with PROVEN)");
  const auto content = certificate.first(certificate.size() - 8);
  require(Bytes(certificate.last(8)).number(8) == XXH3_64bits(content.data(), content.size()),
          "the checksum is wrong: the certificate is damaged or cut short");
}

}  // namespace

Reason reason_of(std::uint64_t code) {
  switch (code) {  // format, section 1
    case 0:
      return Reason::rigid;
    case 1:
      return Reason::adjacent;
    case 2:
      return Reason::touch;
    case 3:
      return Reason::user;
    case 4:
      return Reason::srdf_adjacent;
    case 5:
      return Reason::srdf_default;
    case 6:
      return Reason::srdf_user;
    case 7:
      return Reason::srdf_never;
    case 8:
      return Reason::srdf_proved;
  }
  throw Rejected{fmt::format("a pair is excluded for a reason of the unknown code {}", code)};
}

Header read_header(std::span<const std::uint8_t> certificate) {
  check_frame(certificate);
  Bytes in(certificate.subspan(8));
  Header header;
  const std::uint64_t version = in.number(2);
  require(version >= 1 && version <= 4, "the certificate has a version other than 1, 2, 3 and 4");
  header.sensed = version == 4;
  header.kind = static_cast<int>(in.number(1));
  require(header.kind <= 1, "the certificate is of an unknown kind");
  const auto degree = static_cast<int>(in.number(1));
  if (version == 1)
    require(degree == 0, "the byte of the degree is not 0, in a certificate of straight pieces");
  else if (!header.sensed || degree != 0)
    require(degree >= 1 && degree <= kMaxDegree, "the degree of the certificate is not 1 to 5");
  header.degree = std::max(1, degree);
  header.scene_hash = in.hash();
  header.path_hash = in.hash();
  header.clearance = in.f64();
  header.tracking_error = in.f64();
  require(std::isfinite(header.clearance) && std::isfinite(header.tracking_error),
          "the clearance or tracking error of the certificate is not a number");
  header.segments = in.u32();
  if (version >= 3) {
    header.slots = in.u32();
    require(header.slots > 0 || header.sensed, "the certificate cuts lateness into no slots");
  }
  header.tested_pairs = in.u32();
  const std::uint32_t excluded = in.u32();
  for (std::uint32_t i = 0; i < excluded; ++i) {  // at least 13 bytes each: ends with the input
    const std::uint32_t a = in.u32(), b = in.u32();
    const auto reason = in.number(1);
    require(a < b && b < 1u << 30, "an excluded pair makes no sense");
    in.take(in.u32());
    header.excluded.push_back({static_cast<int>(a), static_cast<int>(b), reason_of(reason)});
  }
  header.body_size = in.number(8);
  require(header.body_size <= std::uint64_t{1} << 34, "the body is longer than 2^34 bytes");
  header.stored_body = in.take(in.number(8));
  in.take(8);
  require(in.left() == 0, "the certificate has trailing bytes");
  return header;
}

struct BodyStream::State {
  ZSTD_DStream* stream = nullptr;
  ZSTD_inBuffer in = {};
  std::vector<std::uint8_t> buffer;
  std::size_t used = 0, filled = 0;
  std::uint64_t promised = 0, produced = 0;
  bool ended = false;

  State() : stream(ZSTD_createDStream()), buffer(kBufferSize) {}
  ~State() { ZSTD_freeDStream(stream); }
};

BodyStream::BodyStream(std::span<const std::uint8_t> stored, std::uint64_t size)
    : state_(std::make_unique<State>()) {
  require(state_->stream && !ZSTD_isError(ZSTD_DCtx_setParameter(state_->stream,
                                                                 ZSTD_d_windowLogMax, kWindowLog)),
          "no memory to decompress the body");
  state_->in = {stored.data(), stored.size(), 0};
  state_->promised = size;
}
BodyStream::~BodyStream() = default;

void BodyStream::refill() {
  State& s = *state_;
  s.used = s.filled = 0;
  while (s.filled == 0 && !s.ended) {
    ZSTD_outBuffer out{s.buffer.data(), s.buffer.size(), 0};
    const std::size_t before = s.in.pos;
    const std::size_t status = ZSTD_decompressStream(s.stream, &out, &s.in);
    require(!ZSTD_isError(status), "the body cannot be decompressed");
    require(out.pos > 0 || s.in.pos > before || status == 0, "the body is cut short");
    s.ended = status == 0;
    s.filled = out.pos;
  }
  s.produced += s.filled;
  require(s.produced <= s.promised, "the body is longer than the header says");
}

std::uint8_t BodyStream::u8() {
  State& s = *state_;
  if (s.used == s.filled) refill();
  require(s.used < s.filled, "the body ends too early");
  return s.buffer[s.used++];
}

std::uint64_t BodyStream::unsigned_number(int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(u8()) << (8 * i);
  return value;
}

std::int64_t BodyStream::signed_number(int bytes) {
  const int shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(unsigned_number(bytes) << shift) >> shift;
}

double BodyStream::f64() {
  return std::bit_cast<double>(unsigned_number(8));
}

void BodyStream::finish() {
  State& s = *state_;
  if (s.used == s.filled) refill();
  require(s.used == s.filled, "bytes follow the end of the body");
  require(s.produced == s.promised, "the body is shorter than the header says");
  require(s.in.pos == s.in.size, "bytes follow the compressed body");
}

}  // namespace proven::verifier
