#include "bench/doors/loose_doors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "bench/doors/data_sets.h"
#include "bench/temporary_folder.h"
#include "proven/base/random.h"
#include "proven/io/file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;
using Table = std::vector<std::vector<std::string>>;

// --- Tables

constexpr const char* kNames[] = {"path", "time", "arm/joint_2", "arm/joint_1"};

Table table() {
  return {{kNames[0], kNames[1], kNames[2], kNames[3]},
          {"a", "0", "0.01", "0.1"},
          {"a", "0.5", "0.02", "0.2"},
          {"a", "1.5", "0.04", "0.25"},
          {"b", "0", "0.03", "0.3"},
          {"b", "1", "0.05", "0.4"}};
}

std::string text_of(const Table& rows, const char* mark = ",") {
  std::string text;
  for (const auto& row : rows) text += fmt::format("{}\n", fmt::join(row, mark));
  return text;
}

void add_names(std::vector<LooseAlteration>& all) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string name = kNames[i];
    std::string upper = name, swapped = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::swap(swapped[0], swapped[1]);
    for (const std::string& other :
         {name + "s", name.substr(0, name.size() - 1), "x" + name, swapped, upper, std::string(),
          name + ".velocity", name + ".acceleration", name + ".", std::string("7"),
          std::string("frame")}) {
      Table rows = table();
      rows[0][i] = other;
      all.push_back({fmt::format("column {} is '{}'", name, other), text_of(rows)});
    }
    for (std::size_t k = 0; k < 4; ++k) {
      Table rows = table();
      rows[0][i] = kNames[k];
      if (k != i)
        all.push_back({fmt::format("column {} is another {}", name, kNames[k]), text_of(rows)});
    }
  }
}

void add_columns(std::vector<LooseAlteration>& all) {
  for (std::size_t i = 0; i < 4; ++i) {
    Table dropped = table(), twice = table(), unknown = table(), moved = table();
    for (auto& row : dropped) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    for (auto& row : twice) row.push_back(row[i]);
    for (auto& row : unknown) row.insert(row.begin() + static_cast<std::ptrdiff_t>(i), "1");
    unknown[0][i] = "proven_unknown";
    for (auto& row : moved)
      std::rotate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(i), row.end());
    all.push_back({fmt::format("no column {}", kNames[i]), text_of(dropped),
                   i == 0 ? Wanted::refused : Wanted::said});
    all.push_back({fmt::format("column {} twice", kNames[i]), text_of(twice)});
    all.push_back({fmt::format("an unknown column before {}", kNames[i]), text_of(unknown)});
    if (i > 0)
      all.push_back(
          {fmt::format("columns begin with {}", kNames[i]), text_of(moved), Wanted::same});
  }
}

void add_cells(std::vector<LooseAlteration>& all, Random& random) {
  const Table good = table();
  for (std::size_t r = 1; r < good.size(); ++r)
    for (std::size_t i = 1; i < 4; ++i) {
      const std::string& cell = good[r][i];
      for (const std::string& other :
           {std::string(), std::string("abc"), cell + "x", cell + "mm", cell + "deg",
            std::string("nan"), std::string("inf"), std::string("-inf"), std::string("1e300"),
            std::string("0x10"), cell + " " + cell, cell + "e", std::string("1;5"),
            std::string("--1"), std::string("null"), std::string("true")}) {
        Table rows = good;
        rows[r][i] = other;
        const bool is_far = i == 1 && other == "1e300" && (r == 3 || r == 5);  // the last time
        all.push_back({fmt::format("line {}, {}: '{}'", r + 1, kNames[i], other), text_of(rows),
                       is_far ? Wanted::said : Wanted::refused});
      }
      for (int k = 0; k < 3; ++k) {
        Table rows = good;
        rows[r][i] = fmt::format("{:.6f}", std::stod(cell) + random.uniform(0.001, 0.1));
        all.push_back({fmt::format("line {}, {}: '{}'", r + 1, kNames[i], rows[r][i]),
                       text_of(rows), Wanted::said});
      }
      Table quoted = good, blank = good;
      quoted[r][i] = "\"" + cell + "\"", blank[r][i] = " " + cell + " ";
      all.push_back(
          {fmt::format("line {}, {} in quotes", r + 1, kNames[i]), text_of(quoted), Wanted::same});
      all.push_back({fmt::format("line {}, {} among blanks", r + 1, kNames[i]), text_of(blank),
                     Wanted::same});
    }
}

void add_rows(std::vector<LooseAlteration>& all) {
  const Table good = table();
  for (std::size_t r = 1; r < good.size(); ++r) {
    Table dropped = good, twice = good, shorter = good, longer = good, empty = good, remark = good,
          named = good;
    const auto at = static_cast<std::ptrdiff_t>(r);
    dropped.erase(dropped.begin() + at);
    twice.insert(twice.begin() + at, good[r]);
    shorter[r].pop_back(), longer[r].emplace_back("1");
    empty.insert(empty.begin() + at, {""});
    remark.insert(remark.begin() + at, {"# a remark"});
    named[r][0] = "c";
    all.push_back({fmt::format("line {} dropped", r + 1), text_of(dropped), Wanted::said});
    all.push_back({fmt::format("line {} twice", r + 1), text_of(twice)});  // the same time twice
    all.push_back({fmt::format("line {} is short", r + 1), text_of(shorter)});
    all.push_back({fmt::format("line {} is long", r + 1), text_of(longer)});
    all.push_back(
        {fmt::format("a blank line before line {}", r + 1), text_of(empty), Wanted::same});
    all.push_back({fmt::format("a remark before line {}", r + 1), text_of(remark)});
    all.push_back({fmt::format("line {} is of a path c", r + 1), text_of(named),
                   r == 2 ? Wanted::refused : Wanted::said});
    for (std::size_t k = r + 1; k < good.size(); ++k) {
      Table swapped = good;
      std::swap(swapped[r], swapped[k]);
      all.push_back({fmt::format("lines {} and {} swapped", r + 1, k + 1), text_of(swapped)});
    }
  }
  Table header = good;
  header.resize(1);
  all.push_back({"a header alone", text_of(header)});
  all.push_back({"no header", text_of({good.begin() + 1, good.end()})});
  for (const char* mark : {";", "\t", " "})
    all.push_back({fmt::format("'{}' between cells", mark), text_of(good, mark)});
  all.push_back({"nothing", ""});
  std::string windows = text_of(good);
  for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2)
    windows.insert(at, "\r");
  all.push_back({"lines end as on Windows", windows, Wanted::same});
  std::string unended = text_of(good);
  unended.pop_back();
  all.push_back({"the last line has no end", unended, Wanted::same});
}

// --- Arrays

const std::vector<double>& values() {
  static const std::vector<double> kValues = {0.1, 0.01, 0.2, 0.02, 0.3, 0.03,
                                              0.4, 0.04, 0.5, 0.05, 0.6, 0.06};
  return kValues;
}

void add_headers(std::vector<LooseAlteration>& all) {
  const std::string good = npy_header("(2, 3, 2)");
  const auto add = [&](const std::string& header, Wanted wanted = Wanted::refused) {
    all.push_back({"header " + header, npy_bytes(header, values()), wanted});
  };
  const auto with = [&](const std::string& word, const std::string& other) {
    std::string header = good;
    const std::size_t at = header.find(word);
    return header.replace(at, word.size(), other);
  };
  for (const char* type :
       {"'<i8'", "'<u8'", "'|O'", "'<c8'", "'<c16'", "'<f4'", "'<f16'", "'<f2'", "'f8 '", "'<U2'",
        "'<g'", "'|b1'", "''", "8", "[('x', '<f8')]", "'<F8'", "'!f8'"})
    add(with("'<f8'", type));
  add(with("'<f8'", "'>f8'"), Wanted::said);
  add(with("'<f8'", "'=f8'"), Wanted::same);
  for (const char* flag : {"True", "false", "true", "0", "1", "None", "'False'", ""})
    add(with("False", flag));
  for (const char* shape : {"(2, 3, 3)",
                            "(3, 3, 2)",
                            "(2, 2, 2)",
                            "(1, 3, 2)",
                            "(12,)",
                            "(2, 3, 2, 1)",
                            "(-2, 3, 2)",
                            "(2, -3, -2)",
                            "(2.0, 3, 2)",
                            "(2, 3, 2",
                            "2, 3, 2",
                            "[2, 3, 2]",
                            "()",
                            "(0, 3, 2)",
                            "(2, 0, 2)",
                            "(2, 3, 0)",
                            "('2', 3, 2)",
                            "(2L, 3L, 2L)",
                            "(4294967298, 3, 2)",
                            "(2, 3, 18446744073709551618)"})
    add(with("(2, 3, 2)", shape));
  for (const char* shape : {"(3, 2, 2)", "(1, 6, 2)", "(6, 2)"})
    add(with("(2, 3, 2)", shape), Wanted::said);
  for (const char* name : {"descr", "fortran_order", "shape"}) {
    for (const std::string& other :
         {std::string(name) + "s", std::string("X") + name, std::string("Descr"), std::string()})
      add(with(name, other));
    std::string twice = good;
    twice.insert(1, fmt::format("'{}': {}, ", name,
                                name == std::string("shape")   ? "(1, 6, 2)"
                                : name == std::string("descr") ? "'<i8'"
                                                               : "True"));
    add(twice);
  }
  add(with("{", "{'proven_unknown': 1, "));
  add(good.substr(1)), add(good.substr(0, good.size() - 1)), add(good + "x"), add("");
}

void add_bodies(std::vector<LooseAlteration>& all, Random& random) {
  const std::string good = npy_bytes(npy_header("(2, 3, 2)"), values());
  for (std::size_t i = 0; i < values().size(); ++i) {
    for (const double other : {std::nan(""), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), 1e300, -1e300, 1e10}) {
      std::vector<double> changed = values();
      changed[i] = other;
      all.push_back(
          {fmt::format("value {} is {}", i, other), npy_bytes(npy_header("(2, 3, 2)"), changed)});
    }
    std::vector<double> changed = values();
    changed[i] += random.uniform(0.001, 0.01);
    all.push_back({fmt::format("value {} is {}", i, changed[i]),
                   npy_bytes(npy_header("(2, 3, 2)"), changed), Wanted::said});
  }
  for (const std::size_t row : {2, 5}) {  // rows of NaN at the end fill a path up
    std::vector<double> filled = values();
    filled[2 * row] = filled[2 * row + 1] = std::nan("");
    all.push_back({fmt::format("row {} is NaN", row), npy_bytes(npy_header("(2, 3, 2)"), filled),
                   Wanted::said});
  }
  std::vector<double> hole = values();
  hole[2] = hole[3] = std::nan("");
  all.push_back({"a row of NaN within a path", npy_bytes(npy_header("(2, 3, 2)"), hole)});
  for (const std::size_t cut : {1, 8, 16, 96})
    all.push_back({fmt::format("{} bytes are missing", cut), good.substr(0, good.size() - cut)});
  for (const std::size_t more : {1, 8, 16})
    all.push_back({fmt::format("{} bytes more", more), good + std::string(more, 'x')});
  for (std::size_t i = 0; i < 10; ++i) {  // magic, version and the header's length
    std::string changed = good;
    changed[i] = static_cast<char>(changed[i] + 1 + random.index(100));
    all.push_back({fmt::format("byte {} of the head is another", i), changed});
  }
}

// --- Archives of arrays

void add_archives(std::vector<LooseAlteration>& all) {
  const ZipMember demo{"demo_1.npy", npy_bytes(npy_header("(2, 2)"), {0.1, 0.2, 0.3, 0.4})},
      more{"demo_2.npy", npy_bytes(npy_header("(1, 3, 2)"), {0.5, 0.6, 0.7, 0.8, 0.1, 0.2})},
      joints{"joints.npy", npy_texts({"arm/joint_2", "arm/joint_1"})};
  const auto add = [&](const std::string& what, const std::vector<ZipMember>& members,
                       Wanted wanted = Wanted::refused) {
    all.push_back({what, zip_bytes(members), wanted});
  };
  for (const char* name :
       {"joint.npy", "Joints.npy", "jointss.npy", "ojints.npy", "JOINTS.npy", "names.npy"}) {
    ZipMember other = joints;
    other.name = name;
    add(fmt::format("joints are in {}", name), {demo, more, other});
  }
  add("no joints", {demo, more}, Wanted::said);
  add("no first array", {more, joints}, Wanted::said);
  add("joints alone", {joints});
  add("joints stand first", {joints, demo, more}, Wanted::same);
  for (const ZipMember& twice : {demo, more, joints})
    add(twice.name + " twice", {demo, more, joints, twice});
  ZipMember own = demo;
  own.name = "demo_2.npy";
  add("two arrays of one name", {demo, own, more, joints});
  for (const auto& names : std::vector<std::vector<std::string>>{{"arm/joint_1", "arm/joint_2"},
                                                                 {"joint_2", "joint_1"}})
    add(fmt::format("joints {}", fmt::join(names, " ")),
        {demo, more, {"joints.npy", npy_texts(names)}},
        names[0] == "joint_2" ? Wanted::same : Wanted::said);
  for (const auto& names :
       std::vector<std::vector<std::string>>{{"arm/joint_2"},
                                             {"arm/joint_2", "arm/joint_2"},
                                             {"arm/joint_2", "arm/joint_3"},
                                             {"arm/joint_2", ""},
                                             {"arm/joint_2", "Arm/joint_1"},
                                             {"arm/joint_2", "arm/joint_1", "arm/joint_1"},
                                             {}})
    add(fmt::format("joints {}", fmt::join(names, " ")),
        {demo, more, {"joints.npy", npy_texts(names)}});
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<ZipMember> members = {demo, more, joints};
    members[i].wrong_checksum = true;
    add(members[i].name + " has a wrong checksum", members);
    for (const unsigned method : {1u, 8u, 12u, 14u, 99u}) {
      members = {demo, more, joints};
      members[i].method = method;
      add(fmt::format("{} is packed by method {}", members[i].name, method), members);
    }
    members = {demo, more, joints};
    members[i].flags = 1;
    add(members[i].name + " is encrypted", members);
    members = {demo, more, joints};
    members[i].bytes = "none";
    add(members[i].name + " is no array", members);
  }
  const std::string good = zip_bytes({demo, more, joints});
  for (const std::size_t cut : {1, 10, 22, 60, 200})
    all.push_back({fmt::format("{} bytes are missing", cut), good.substr(0, good.size() - cut)});
  all.push_back({"a byte more", good + "x"});
  for (std::size_t at = 22; at > 0; at -= 2) {
    std::string changed = good;
    changed[good.size() - at] = static_cast<char>(changed[good.size() - at] + 3);
    all.push_back({fmt::format("byte {} from the end is another", at), changed, Wanted::said});
  }
}

std::string archive() {
  return zip_bytes(
      {{"demo_1.npy", npy_bytes(npy_header("(2, 2)"), {0.1, 0.2, 0.3, 0.4})},
       {"demo_2.npy", npy_bytes(npy_header("(1, 3, 2)"), {0.5, 0.6, 0.7, 0.8, 0.1, 0.2})},
       {"joints.npy", npy_texts({"arm/joint_2", "arm/joint_1"})}});
}

// Up to rounding alike, fact by fact.
bool agree(const Reading& a, const Reading& b) {
  return std::ranges::equal(a.facts, b.facts, [](const Fact& x, const Fact& y) {
    return x.name == y.name && std::fabs(x.value - y.value) <= 1e-9 * (1 + std::fabs(x.value));
  });
}

bool is_good(Wanted wanted, const Reading& before, const Reading& after) {
  switch (wanted) {
    case Wanted::refused:
      return false;
    case Wanted::said:
      return after.digest != before.digest;
    case Wanted::same:
      return agree(before, after);
  }
  return false;
}

}  // namespace

std::vector<LooseDoor> loose_doors(std::uint64_t seed) {
  Random random(seed);
  LooseDoor csv{"data sets: CSV", "set.csv", text_of(table()), data_set_readers(true), {}};
  add_names(csv.alterations), add_columns(csv.alterations), add_rows(csv.alterations);
  add_cells(csv.alterations, random);
  LooseDoor npy{"data sets: .npy",
                "set.npy",
                npy_bytes(npy_header("(2, 3, 2)"), values()),
                data_set_readers(false),
                {}};
  add_headers(npy.alterations), add_bodies(npy.alterations, random);
  LooseDoor npz{"data sets: .npz", "set.npz", archive(), data_set_readers(false), {}};
  add_archives(npz.alterations);
  return {csv, npy, npz};
}

Result<DoorResult> try_loose_door(const LooseDoor& door, const DoorOptions& options) {
  DoorResult result;
  result.counts.resize(door.readers.size());
  const TemporaryFolder folder("doors_loose");
  write_data_sets(folder / "");
  std::vector<fs::path> files;
  const auto put = [&](const std::string& bytes) {
    const fs::path own = folder / std::to_string(files.size());
    fs::create_directories(own);
    (void)write_file(own / door.file, bytes);
    files.push_back(own / door.file);
  };
  put(door.bytes);
  std::vector<const LooseAlteration*> tried;
  const std::size_t count = door.alterations.size();
  const std::size_t step =
      options.most > 0 ? std::max<std::size_t>(1, count / static_cast<std::size_t>(options.most))
                       : 1;
  for (std::size_t i = options.seed % step; i < count; i += step) {
    put(door.alterations[i].bytes);
    tried.push_back(&door.alterations[i]);
  }
  std::vector<Result<Reading>> product;
  for (std::size_t r = 0; r < door.readers.size(); ++r) {
    const std::string& reader = door.readers[r].name;
    const std::vector<Result<Reading>> read = door.readers[r].read(files);
    if (!read[0].ok())
      return bad_input(
          fmt::format("the {} refuses {}: {}", reader, door.name, read[0].error().text()));
    if (r == 0) product = read;
    DoorCount& total = result.counts[r];
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const Result<Reading>&after = read[i + 1], &other = product[i + 1];
      ++total.files;
      if (!after.ok())
        ++total.refused;
      else if (!is_good(tried[i]->wanted, read[0].value(), after.value()))
        ++total.silent,
            result.notes.push_back(fmt::format("silent: {}: {}: {}: 1 times, as {}", door.name,
                                               reader, tried[i]->what, tried[i]->what));
      else if (tried[i]->wanted == Wanted::same)
        ++total.decoration;
      else
        ++total.changed;
      if (r == 0 || !other.ok() || (after.ok() && agree(after.value(), other.value()))) continue;
      ++total.disagreements;
      result.notes.push_back(fmt::format("disagrees: {}: {}: {}: 1 times, as {}", door.name, reader,
                                         tried[i]->what,
                                         after.ok() ? "something else" : after.error().text()));
    }
  }
  return result;
}

}  // namespace proven::bench
