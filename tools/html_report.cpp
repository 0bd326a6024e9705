#include "tools/html_report.h"

#include <fmt/format.h>

#include <fstream>

#include "proven/base/text.h"

namespace proven::tools {
namespace {

constexpr const char* kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fafaf8}h1{font-size:1.7rem}h2{font-size:1.2rem;margin-top:2rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .8rem;text-align:left;"
    "border-bottom:1px solid #ddd}img{max-width:100%;border-radius:6px}figure{margin:1rem 0}"
    "figcaption{color:#666;font-size:.9rem}.verdict{padding:.6rem 1rem;border-radius:6px;"
    "background:#eee}.free{background:#dff2e1}.collision{background:#f9dedc}"
    ".undecided{background:#fdf2cc}";

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k)
      value = value << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kDigits[value >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

void HtmlReport::heading(const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n", xml_escaped(text));
}

void HtmlReport::paragraph(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", xml_escaped(text));
}

void HtmlReport::verdict(const std::string& verdict, const std::string& text) {
  body_ += fmt::format("<p class=\"verdict {}\"><b>{}</b> {}</p>\n", verdict, verdict,
                       xml_escaped(text));
}

void HtmlReport::table(const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  body_ += "<table><tr>";
  for (const std::string& column : columns)
    body_ += fmt::format("<th>{}</th>", xml_escaped(column));
  body_ += "</tr>\n";
  for (const auto& row : rows) {
    body_ += "<tr>";
    for (const std::string& cell : row) body_ += fmt::format("<td>{}</td>", xml_escaped(cell));
    body_ += "</tr>\n";
  }
  body_ += "</table>\n";
}

void HtmlReport::picture(const Image& image, const std::string& caption) {
  body_ += fmt::format(
      "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption>"
      "</figure>\n",
      xml_escaped(caption), base64(encode_png(image)));
}

Result<void> HtmlReport::write(const std::filesystem::path& file) const {
  std::ofstream out(file, std::ios::binary);
  out << fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{0}</title><style>{1}</style>\n<h1>{0}</h1>\n{2}"
      "</html>\n",
      xml_escaped(title_), kStyle, body_);
  out.close();
  if (!out) return bad_input("cannot write this file", file.string());
  return {};
}

}  // namespace proven::tools
