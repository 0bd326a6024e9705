// A self-contained HTML page: headings, paragraphs, tables and pictures.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "proven/base/result.h"
#include "tools/render/render.h"

namespace proven::tools {

class HtmlReport {
 public:
  explicit HtmlReport(std::string title) : title_(std::move(title)) {}

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  // A verdict in its colour, with what it means.
  void verdict(const std::string& verdict, const std::string& text);
  void table(const std::vector<std::string>& columns,
             const std::vector<std::vector<std::string>>& rows);
  void picture(const Image& image, const std::string& caption);
  Result<void> write(const std::filesystem::path& file) const;

 private:
  std::string title_, body_;
};

}  // namespace proven::tools
