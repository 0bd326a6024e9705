#include "tools/audit_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "proven/base/text.h"
#include "proven/io/file.h"
#include "tools/render/render.h"
#include "tools/view/page.h"

namespace proven::tools {
namespace {

using audit::Counts;
using audit::Summary;

constexpr const char* kStyle = R"page(
:root { --page:#fbfbfa; --panel:#fff; --text:#1c2126; --quiet:#626b74; --rule:#e3e6e9; --lane:#eef0f2;
  --free:#2f8f5b; --collision:#c8372d; --undecided:#d99a1b; --error:#8d98a3; --swept:#9ac7ae;
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;
  font-variant-numeric:tabular-nums; color-scheme:light dark }
@media (prefers-color-scheme:dark) { :root { --page:#15181c; --panel:#1b1f24; --text:#e7eaed; --quiet:#98a2ac;
  --rule:#2c333a; --lane:#23292f; --free:#4fb47c; --collision:#ef6a5f; --undecided:#e2b04a; --error:#79848f; --swept:#2c6a48 } }
* { box-sizing:border-box } body { margin:0; background:var(--page); color:var(--text) }
main { max-width:1040px; margin:0 auto; padding:36px 24px 64px }
h1 { font-size:26px; font-weight:680; letter-spacing:-.015em; margin:0 0 4px; overflow-wrap:anywhere }
h2 { font-size:17px; font-weight:650; margin:44px 0 12px } p { margin:0 0 10px; max-width:72ch }
.quiet { color:var(--quiet); font-size:13.5px } a { color:inherit }
.bar { display:flex; height:14px; border-radius:7px; overflow:hidden; background:var(--lane); gap:1px }
.bar i { display:block; min-width:2px } .bar.big { height:26px; border-radius:8px; margin:26px 0 16px }
.free { background:var(--free) } .swept { background:var(--swept) } .collision { background:var(--collision) } .undecided { background:var(--undecided) } .error { background:var(--error) }
.figures { display:grid; grid-template-columns:repeat(auto-fit,minmax(190px,1fr)); gap:14px }
.figure { background:var(--panel); border:1px solid var(--rule); border-radius:10px; padding:12px 16px }
.figure b { display:block; font-size:28px; font-weight:660; letter-spacing:-.02em; line-height:1.2 }
.figure span { display:flex; align-items:center; gap:7px; font-size:13.5px; color:var(--quiet) }
.dot { width:10px; height:10px; border-radius:3px; flex:none }
table { border-collapse:collapse; width:100%; font-size:14px } th { text-align:left; font-weight:600; color:var(--quiet); font-size:12.5px }
td,th { padding:5px 12px 5px 0; border-bottom:1px solid var(--rule); vertical-align:middle } td.n,th.n { text-align:right; white-space:nowrap }
td.wide { width:34% } td { overflow-wrap:anywhere } td.name { white-space:nowrap }
.cards { display:grid; grid-template-columns:repeat(auto-fill,minmax(300px,1fr)); gap:16px }
.card { background:var(--panel); border:1px solid var(--rule); border-radius:10px; overflow:hidden }
.card img { display:block; width:100%; aspect-ratio:3/2; object-fit:cover; background:#f4f5f6 }
.card div { padding:10px 14px 13px; font-size:13.5px } .card b { font-size:16px } .card p { margin:2px 0; overflow-wrap:anywhere }
.red { color:var(--collision); font-weight:600 } .blue { color:#2f7fd6; font-weight:600 }
.pair { display:inline-block; height:10px; border-radius:3px; background:var(--collision) }
code { font:12.5px ui-monospace,"Liberation Mono",monospace }
)page";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : xml_escaped(text))
    out += c == '"' ? std::string("&quot;") : std::string(1, c);
  return out;
}

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

// 1234567 as 1,234,567.
std::string grouped(std::int64_t number) {
  std::string text = fmt::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string bar(const Counts& counts, const char* classes) {
  std::string html = fmt::format("<div class=\"{}\">", classes);
  for (const auto& [word, count] :
       {std::pair{"free", counts.free}, std::pair{"swept", counts.swept},
        std::pair{"collision", counts.collision}, std::pair{"undecided", counts.undecided},
        std::pair{"error", counts.error}})
    if (count > 0)
      html += fmt::format("<i class=\"{}\" style=\"flex:{}\" title=\"{}: {}\"></i>", word, count,
                          word, grouped(count));
  return html + "</div>";
}

std::string figures(const Summary& summary) {
  std::string html = "<div class=\"figures\">";
  const Counts& c = summary.counts;
  for (const auto& [word, label, count] : {std::tuple{"free", "proved free", c.free},
                                           {"swept", "free (swept), not proved", c.swept},
                                           {"collision", "collide, with a witness", c.collision},
                                           {"undecided", "undecided", c.undecided},
                                           {"error", "not readable", c.error}}) {
    if (count == 0 && std::string_view(word) == "swept") continue;
    html += fmt::format(
        "<div class=\"figure\"><span><i class=\"dot {}\"></i>{}</span><b>{:.2f} %</b>"
        "<span>{} of {}</span>",
        word, label, share(count, c.all()), grouped(count), grouped(c.all()));
    if (summary.sample > 0) {
      const auto interval = audit::clopper_pearson(count, c.all());
      html += fmt::format("<span>of all: {:.2f} to {:.2f} %</span>", 100 * interval.low,
                          100 * interval.high);
    }
    html += "</div>";
  }
  return html + "</div>";
}

std::string counts_row(const std::string& label, const Counts& c) {
  return fmt::format(
      "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1f} %</td><td class=\"n\">{:.1f} "
      "%</td><td class=\"n\">{:.1f} %</td><td class=\"wide\">{}</td></tr>\n",
      label, grouped(c.all()), share(c.free + c.swept, c.all()), share(c.collision, c.all()),
      share(c.undecided + c.error, c.all()), bar(c, "bar"));
}

std::string counts_table(const char* heading, const std::string& rows) {
  return fmt::format(
      "<table><tr><th>{}</th><th class=\"n\">paths</th><th class=\"n\">free</th><th "
      "class=\"n\">collide</th><th class=\"n\">neither</th><th></th></tr>\n{}</table>\n",
      heading, rows);
}

// Groups whose names say that they belong together: "cage/0012" is of the set "cage".
std::string sets(const Summary& summary) {
  std::vector<std::pair<std::string, Counts>> sums;
  for (const auto& [name, counts] : summary.groups) {
    const std::size_t end = name.rfind('/');
    if (end == std::string::npos) return {};
    const std::string set = name.substr(0, end);
    auto found = std::ranges::find(sums, set, &std::pair<std::string, Counts>::first);
    if (found == sums.end()) found = sums.insert(sums.end(), {set, {}});
    found->second += counts;
  }
  if (sums.size() < 2 || sums.size() == summary.groups.size()) return {};
  std::string rows;
  for (const auto& [name, counts] : sums) rows += counts_row(escaped(name), counts);
  return "<h2>By set</h2>\n" + counts_table("set", rows);
}

std::string groups(const Summary& summary) {
  constexpr std::size_t kMost = 60;
  const auto size = static_cast<std::int64_t>(summary.groups.size());
  if (size < 2 || summary.counts.all() <= size) return {};  // shares of one path say nothing
  auto shown = summary.groups;
  const bool cut = shown.size() > kMost;
  const auto colliding = [](const auto& group) {
    return -share(group.second.collision, group.second.all());
  };
  if (cut) {
    std::ranges::stable_sort(shown, {}, colliding);
    shown.resize(kMost);
  }
  std::string rows;
  for (const auto& [name, counts] : shown) rows += counts_row(escaped(name), counts);
  return fmt::format("<h2>By group</h2>\n{}{}", counts_table("group", rows),
                     cut ? fmt::format("<p class=\"quiet\">The {} groups of {} in which most paths "
                                       "collide.</p>",
                                       kMost, summary.groups.size())
                         : "");
}

std::string lengths(const Summary& summary) {
  std::string rows;
  for (std::size_t i = 0; i < Summary::kLengths; ++i) {
    const double low = i == 0 ? 0 : 0.125 * static_cast<double>(1 << i);
    const double high = 0.25 * static_cast<double>(1 << i);
    if (summary.lengths[i].all() > 0)
      rows += counts_row(i + 1 < Summary::kLengths ? fmt::format("{:g} to {:g}", low, high)
                                                   : fmt::format("from {:g}", low),
                         summary.lengths[i]);
  }
  return "<h2>By length in joint space</h2>\n" + counts_table("radians, metres", rows);
}

std::string pairs(const Summary& summary) {
  constexpr std::size_t kMost = 15;
  if (summary.pairs.empty()) return {};
  std::vector<std::pair<std::array<std::string, 2>, std::int64_t>> sorted(summary.pairs.begin(),
                                                                          summary.pairs.end());
  std::ranges::stable_sort(sorted, std::greater<>{}, [](const auto& pair) { return pair.second; });
  const std::size_t all = sorted.size();
  sorted.resize(std::min(kMost, all));
  std::string html =
      "<h2>Pairs that collide most</h2>\n<table><tr><th>pair</th><th class=\"n\">paths</th>"
      "<th></th></tr>\n";
  for (const auto& [pair, count] : sorted)
    html += fmt::format(
        "<tr><td>{} &ndash; {}</td><td class=\"n\">{}</td><td class=\"wide\"><i class=\"pair\" "
        "style=\"width:{:.1f}%\"></i></td></tr>\n",
        escaped(pair[0]), escaped(pair[1]), grouped(count),
        100.0 * static_cast<double>(count) / static_cast<double>(sorted[0].second));
  return html + fmt::format("</table><p class=\"quiet\">By the one witness of each path{}.</p>\n",
                            all == kMost + 1 ? "; one more pair collides"
                            : all > kMost    ? fmt::format("; {} more pairs collide", all - kMost)
                                             : "");
}

std::string failures(const char* heading, const std::vector<audit::Failed>& failed,
                     std::int64_t all) {
  if (failed.empty()) return {};
  std::string html = fmt::format("<h2>{}</h2>\n<table>", heading);
  for (const audit::Failed& one : failed)
    html += fmt::format("<tr><td class=\"n\">{}</td><td class=\"name\">{}</td><td>{}</td></tr>\n",
                        one.index, escaped(one.name), escaped(one.why));
  return html +
         fmt::format("</table>{}\n",
                     all > static_cast<std::int64_t>(failed.size())
                         ? fmt::format("<p class=\"quiet\">The first of {}.</p>", grouped(all))
                         : "");
}

std::string clearances(const Summary& summary) {
  if (summary.clearances.empty()) return {};
  std::int64_t most = 1;
  for (const auto& [clearance, count] : summary.clearances) most = std::max(most, count);
  std::string html =
      "<h2>Least clearance of free paths</h2>\n<table><tr><th>proved to keep at least</th><th "
      "class=\"n\">paths</th><th></th></tr>\n";
  for (const auto& [clearance, count] : summary.clearances)
    html += fmt::format(
        "<tr><td>{:g} mm</td><td class=\"n\">{}</td><td class=\"wide\"><i class=\"pair\" "
        "style=\"background:var(--free);width:{:.1f}%\"></i></td></tr>\n",
        1e3 * clearance, grouped(count),
        100.0 * static_cast<double>(count) / static_cast<double>(most));
  return html + "</table>\n";
}

std::string base64(std::string_view bytes) {
  constexpr const char* kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k)
      value = value << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kLetters[value >> (18 - 6 * k) & 63];
  }
  return text;
}

// The worst collisions, with a picture of each and a page of the viewer.
class Worst {
 public:
  Worst(const AuditPage& page, const std::filesystem::path& file)
      : page_(page), folder_(file.parent_path() / (file.stem().string() + "_pages")) {}

  std::string html() {
    if (page_.summary.worst.empty()) return {};
    std::string html = "<h2>Deepest collisions</h2>\n<div class=\"cards\">\n";
    bool linked = false;
    for (const audit::Collision& c : page_.summary.worst) html += card(c, linked);
    return html + "</div>\n" +
           (linked ? fmt::format("<p class=\"quiet\">At most three of a pair. The links open the "
                                 "viewer: pages of the folder "
                                 "{} beside this one.</p>\n",
                                 escaped(folder_.filename().string()))
                   : "");
  }

 private:
  std::string card(const audit::Collision& c, bool& linked) {
    const PathGroup& group = page_.set.group_of(c.index);
    SceneArgument argument = page_.scene;
    argument.scene = group.scene;
    const auto source = load_source(argument);
    const auto scene =
        source.ok() ? build(argument, source.value()) : Result<Scene>(source.error());
    std::string picture, link;
    if (scene.ok()) {
      picture = draw(scene.value(), c);
      if (auto shown = show(source.value(), scene.value(), group, c); shown.ok()) {
        linked = true;
        link = fmt::format("<p><a href=\"{}/{}.html\">look at it in the viewer</a></p>",
                           escaped(folder_.filename().string()), c.index);
      }
    }
    return fmt::format(
        "<div class=\"card\">{}<div><b>{}</b><p><span class=\"red\">{}</span> and <span "
        "class=\"blue\">{}</span></p><p class=\"quiet\">path {} ({}, group {}), segment {}, t = "
        "{:.4f}</p>{}</div></div>\n",
        picture,
        c.depth ? fmt::format("at least {:.1f} mm deep", 1e3 * *c.depth)
                : std::string("depth not known"),
        escaped(c.pair[0]), escaped(c.pair[1]), c.index, escaped(c.name), escaped(c.group),
        c.segment, c.t, link);
  }

  std::string draw(const Scene& scene, const audit::Collision& c) const {
    RenderOptions options;
    options.zoom = 2.2;
    options.centre = Vec3{c.points[0][0], c.points[0][1], c.points[0][2]};
    options.pointed_out = {scene.find_body(c.pair[0]), scene.find_body(c.pair[1])};
    options.azimuth = best_azimuth(scene, c, options);
    options.width = 480;
    options.height = 320;
    const auto image = render(scene, c.configuration, options);
    if (!image.ok()) return {};
    return fmt::format("<img alt=\"{} in {}\" src=\"data:image/png;base64,{}\">",
                       escaped(c.pair[0]), escaped(c.pair[1]), base64(encode_png(image.value())));
  }

  // From where both bodies are seen: of some small pictures, the one in which the less visible of
  // the two takes most of the middle.
  static double best_azimuth(const Scene& scene, const audit::Collision& c, RenderOptions options) {
    options.width = 60;
    options.height = 40;
    options.supersampling = 1;
    constexpr int kEnough = 40;  // pixels of each
    const double first = options.azimuth;
    double best = first;
    int most = -1;
    for (int i = 0; i < 6; ++i) {
      options.azimuth = first + i * std::numbers::pi / 3;
      const auto image = render(scene, c.configuration, options);
      if (!image.ok()) break;
      int red = 0, blue = 0;
      for (int y = 10; y < 30; ++y)
        for (int x = 15; x < 45; ++x) {
          const std::uint8_t* p = &image.value().rgb[static_cast<std::size_t>(3 * (60 * y + x))];
          red += p[0] > p[2] + 50;
          blue += p[2] > p[0] + 50;
        }
      if (std::min(red, blue) <= most) continue;
      most = std::min(red, blue);
      best = options.azimuth;
      if (most >= kEnough) break;
    }
    return best;
  }

  Result<void> show(const SceneSource& source, const Scene& scene, const PathGroup& group,
                    const audit::Collision& c) const {
    if (!has_viewer()) return Error{ErrorCode::unsupported, "built without the viewer", {}};
    std::vector<std::string> joints;
    for (const Coordinate& coordinate : scene.tree().coordinates())
      joints.push_back(coordinate.name);
    const std::int64_t at = c.index - group.begin;
    const auto items = page_.set.read(group, at, at + 1, joints);
    if (!items.ok()) return items.error();
    auto path = read_item(items.value()[0], scene, page_.path);
    if (!path.ok()) return path.error();
    const auto motion = check_motion(source, scene, std::move(path).value(), page_.check,
                                     page_.scene.trust_srdf_never);
    if (!motion.ok()) return motion.error();
    ViewDocument document(c.name);
    document.set_scene(scene, fmt::format("in {}: {}", group.scene, size_of(scene)));
    document.add_motion(scene, motion.value());
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    return write_page(folder_ / fmt::format("{}.html", c.index), document);
  }

  const AuditPage& page_;
  std::filesystem::path folder_;
};

std::string introduction(const AuditPage& page) {
  const Summary& s = page.summary;
  std::string text = fmt::format(
      "<h1>{}</h1>\n<p class=\"quiet\">{} paths in {} {}{}{}. Data set {}, proven {}.</p>\n",
      escaped(page.title), grouped(s.paths), s.groups.size(),
      s.groups.size() == 1 ? "group" : "groups",
      s.sample > 0
          ? fmt::format("; {} of them drawn by chance and looked at", grouped(s.counts.all()))
          : "",
      s.shard.empty() ? "" : ", shard " + s.shard, s.data_set.substr(0, 16), escaped(s.version));
  return text;
}

std::string meaning(const Summary& s) {
  return fmt::format(
      "<h2>What is proved</h2>\n<p>A path is <i>free</i> if at every moment of its continuous "
      "motion "
      "every tested pair of bodies is farther apart than required ({}); not at samples: "
      "everywhere. It <i>collides</i> if a configuration on it was found at which a pair is not. "
      "What is neither proved nor refuted is <i>undecided</i>.{}{}{}</p>\n",
      s.clearance > 0 ? fmt::format("{:g} mm", 1e3 * s.clearance) : std::string("no contact"),
      s.counts.swept > 0
          ? fmt::format(
                " <i>Free (swept)</i> is the pre-check's word and not proved; one such path "
                "in {} was searched, and {} of those collided.",
                audit::kSweptSample, s.refuted)
          : "",
      s.certificates ? " Each verdict has a certificate that `proven verify` checks independently."
                     : "",
      s.sample > 0 ? " Shares of all paths are intervals of Clopper and Pearson, each with 95 % "
                     "confidence."
                   : "");
}

}  // namespace

Result<void> write_page(const AuditPage& page, const std::filesystem::path& file) {
  const Summary& s = page.summary;
  const std::string html =
      fmt::format(
          "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
          "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
          "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; img-src data:\">\n<title>{}</title>\n<style>{}</style></head>\n"
          "<body><main>\n",
          escaped(page.title), kStyle) +
      introduction(page) + bar(s.counts, "bar big") + figures(s) + Worst(page, file).html() +
      pairs(s) + sets(s) + groups(s) + lengths(s) + clearances(s) +
      failures("Undecided", s.undecided, s.counts.undecided) +
      failures("Not readable", s.errors, s.counts.error) + meaning(s) + "</main></body></html>\n";
  return write_file(file, html);
}

}  // namespace proven::tools
