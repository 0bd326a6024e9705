// A small chart as SVG: lines, points or bars over linear or logarithmic axes.
#pragma once

#include <string>
#include <vector>

namespace proven::bench {

struct Series {
  enum class Style { line, dashed, points, bars };
  std::string name;
  Style style = Style::line;
  std::vector<double> x, y;
  std::vector<double> deviation;  // empty, or one half-length of an error bar per point
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;                // none: there is nothing to draw
  std::vector<std::string> categories = {};  // names of x = 0, 1, 2, … if x is not a number
};

std::string to_svg(const Plot& plot);

}  // namespace proven::bench
