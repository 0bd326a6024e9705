#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "proven/base/text.h"

namespace proven::bench {
namespace {

constexpr double kWidth = 920, kHeight = 460;
constexpr double kLegend = 196;  // a column of its own, where nothing is drawn
constexpr double kLeft = 76, kRight = kLegend + 12, kTop = 44, kBottom = 62;
constexpr const char* kColours[] = {"#2b6cb0", "#d9622b", "#3a8f4d",
                                    "#8a56ac", "#b8860b", "#555555"};

// Maps values to pixels.
struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool logarithmic = false;
  double pixel_low = 0, pixel_high = 1;

  void include(double v) {
    if (!std::isfinite(v) || (logarithmic && v <= 0)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  void settle(bool from_bars) {
    if (!(low <= high)) low = logarithmic ? 1 : 0, high = 1;
    // The smallest bar is to be seen as well.
    if (logarithmic && from_bars) low = std::pow(10, std::floor(std::log10(low * 0.999)));
    if (low == high) high = logarithmic ? low * 10 : low + 1;
    if (!logarithmic) high += 0.04 * (high - low);
  }
  double pixel(double v) const {
    const double share =
        logarithmic ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
    return pixel_low + share * (pixel_high - pixel_low);
  }
  std::vector<double> ticks() const {
    std::vector<double> result;
    if (logarithmic) {
      const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
      const double stride = std::max(1.0, std::round((last - first) / 8));
      for (double e = first; e <= last; e += stride) {
        const double v = std::pow(10, e);
        if (v >= low * 0.999 && v <= high * 1.001) result.push_back(v);
      }
      return result;
    }
    const double rough = (high - low) / 6, magnitude = std::pow(10, std::floor(std::log10(rough)));
    double step = magnitude;
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
      if (magnitude * factor >= rough) {
        step = magnitude * factor;
        break;
      }
    for (double v = std::ceil(low / step) * step; v <= high; v += step)
      result.push_back(std::fabs(v) < step * 1e-9 ? 0 : v);
    return result;
  }
};

class Svg {
 public:
  explicit Svg(const Plot& plot) : plot_(plot) {
    x_.logarithmic = plot.log_x;
    y_.logarithmic = plot.log_y;
    x_.pixel_low = kLeft, x_.pixel_high = kWidth - kRight;
    y_.pixel_low = kHeight - kBottom, y_.pixel_high = kTop;
    for (const Series& s : plot.series) {
      for (const double v : s.x) x_.include(v);
      for (std::size_t i = 0; i < s.y.size(); ++i) {
        y_.include(s.y[i]);
        if (i < s.deviation.size()) y_.include(s.y[i] + s.deviation[i]);
      }
      if (!plot.log_y) y_.include(0);
    }
    if (!plot.categories.empty()) {
      x_.include(-0.5);
      x_.include(static_cast<double>(plot.categories.size()) - 0.5);
    }
    x_.settle(false);
    y_.settle(!plot.series.empty() && plot.series[0].style == Series::Style::bars);
  }

  std::string draw() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
        "font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kWidth, kHeight);
    axes();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) series(i);
    legend();
    add("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void label(double x, double y, const char* anchor, const std::string& text, int size = 12) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
        anchor, size, xml_escaped(text));
  }
  void line(double x1, double y1, double x2, double y2, const char* colour, double width) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{}\"/>\n",
        x1, y1, x2, y2, colour, width);
  }
  void axes() {
    label(kLeft, 24, "start", plot_.title, 15);
    label((kLeft + kWidth - kRight) / 2, kHeight - 14, "middle", plot_.x_label);
    add("<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (kTop + kHeight - kBottom) / 2, xml_escaped(plot_.y_label));
    for (const double v : y_.ticks()) {
      line(kLeft, y_.pixel(v), kWidth - kRight, y_.pixel(v), "#e4e4e4", 1);
      label(kLeft - 7, y_.pixel(v) + 4, "end", fmt::format("{:.6g}", v));
    }
    const double base = kHeight - kBottom;
    if (plot_.categories.empty()) {
      for (const double v : x_.ticks()) {
        line(x_.pixel(v), base, x_.pixel(v), base + 5, "#888", 1);
        label(x_.pixel(v), base + 20, "middle", fmt::format("{:.6g}", v));
      }
    } else {
      for (std::size_t i = 0; i < plot_.categories.size(); ++i)
        label(x_.pixel(static_cast<double>(i)), base + 20, "middle", plot_.categories[i]);
    }
    line(kLeft, base, kWidth - kRight, base, "#888", 1);
  }
  void series(std::size_t index) {
    const Series& s = plot_.series[index];
    const char* colour = kColours[index % std::size(kColours)];
    if (s.style == Series::Style::bars) return bars(index, colour);
    std::string points;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!std::isfinite(s.y[i]) || (plot_.log_y && s.y[i] <= 0)) continue;
      const double x = x_.pixel(s.x[i]), y = y_.pixel(s.y[i]);
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" fill=\"{}\"/>\n", x, y, colour);
      if (i < s.deviation.size()) {
        const double low = std::max(y_.low, s.y[i] - s.deviation[i]);
        line(x, y_.pixel(low), x, y_.pixel(s.y[i] + s.deviation[i]), colour, 1);
      }
    }
    if (s.style == Series::Style::points) return;
    const bool dashed = s.style == Series::Style::dashed;
    add("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", points,
        colour, dashed ? " stroke-dasharray=\"6 4\"" : "");
  }
  // Bars of several series stand side by side.
  void bars(std::size_t index, const char* colour) {
    const Series& s = plot_.series[index];
    double spacing = 1;
    for (std::size_t i = 1; i < s.x.size(); ++i)
      spacing = i == 1 ? s.x[1] - s.x[0] : std::min(spacing, s.x[i] - s.x[i - 1]);
    const double group = std::fabs(x_.pixel(x_.low + spacing) - x_.pixel(x_.low)) * 0.86;
    const double width = group / static_cast<double>(plot_.series.size());
    const double base = kHeight - kBottom;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!std::isfinite(s.y[i]) || (plot_.log_y && s.y[i] <= 0)) continue;
      const double x = x_.pixel(s.x[i]) - group / 2 + width * static_cast<double>(index);
      const double y = y_.pixel(s.y[i]);
      add("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
          y, width, std::max(0.0, base - y), colour);
    }
  }
  void legend() {
    double y = kTop + 10;
    for (std::size_t i = 0; i < plot_.series.size(); ++i, y += 18) {
      const char* colour = kColours[i % std::size(kColours)];
      if (plot_.series[i].style == Series::Style::dashed)
        add("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"{3}\" "
            "stroke-width=\"1.8\" stroke-dasharray=\"4 2\"/>\n",
            kWidth - kLegend, y - 4, kWidth - kLegend + 13, colour);
      else
        add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
            kWidth - kLegend, y - 10, colour);
      label(kWidth - kLegend + 18, y, "start", plot_.series[i].name);
    }
  }

  const Plot& plot_;
  Axis x_, y_;
  std::string text_;
};

}  // namespace

std::string to_svg(const Plot& plot) {
  return Svg(plot).draw();
}

}  // namespace proven::bench
