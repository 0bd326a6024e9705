#include "tools/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace proven::tools {
namespace {

// The code point of a UTF-8 sequence, and how many bytes it has.
std::pair<unsigned, std::size_t> code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  unsigned point = size == 1 ? lead : lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size && i < text.size(); ++i)
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  return {point, size};
}

// Text that roff prints as it is: dashes as ASCII, no line taken for a request.
std::string roff(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size();) {
    const auto [point, size] = code_point(std::string_view(text).substr(i));
    const char c = text[i];
    i += size;
    const bool at_line_start = escaped.empty() || escaped.back() == '\n';
    if (at_line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (size > 1)
      escaped += fmt::format("\\[u{:04X}]", point);
    else if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string head(const Catalogue& catalogue, const std::string& name, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"Proven {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     upper(name), catalogue.version, roff(name), roff(summary));
}

std::string synopsis(const CommandDescription& command) {
  std::string line = fmt::format(".SH SYNOPSIS\n.B proven {}\n", command.name);
  for (const OptionDescription& option : command.options) {
    if (!option.positional()) continue;
    const std::string name =
        option.choices.empty() ? "\\fI" + upper(option.names[0]) + "\\fR" : roff(option.value);
    const std::string word = name + (option.many ? "..." : "");
    line += option.required ? word + "\n" : "[" + word + "]\n";
  }
  return line + "[\\fIOPTION\\fR]...\n";
}

std::string entry(const OptionDescription& option) {
  std::string label;
  if (option.positional()) {
    label = "\\fI" + upper(option.names[0]) + "\\fR";
  } else {
    for (const std::string& name : option.names)
      label += (label.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    if (!option.value.empty()) label += " \\fI" + roff(option.value) + "\\fR";
  }
  std::string text = roff(option.help);
  if (!option.choices.empty() && option.positional()) text += ": " + roff(option.value);
  if (!option.initial.empty()) text += " [" + roff(option.initial) + "]";
  return fmt::format(".TP\n{}\n{}\n", label, text);
}

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n0\nfree, solved, accepted\n"
    ".TP\n1\ncollision, or proved that there is no solution\n"
    ".TP\n2\nusage\n"
    ".TP\n3\nundecided, or a budget ran out\n"
    ".TP\n4\nbad input: one line names the file, the place in it and what is wrong\n"
    ".TP\n5\ncertificate rejected\n"
    ".TP\n130\ninterrupted\n";

std::string examples_of(const CommandDescription& command) {
  if (command.examples.empty()) return {};
  return ".SH EXAMPLES\n.nf\n" + roff(command.examples) + "\n.fi\n";
}

std::string see_also(const Catalogue& catalogue, const std::string& but) {
  std::vector<std::string> pages;
  if (!but.empty()) pages.push_back("\\fBproven\\fR(1)");
  for (const CommandDescription& command : catalogue.commands)
    if (command.name != but) pages.push_back(fmt::format("\\fBproven\\-{}\\fR(1)", command.name));
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

}  // namespace

std::string manual_page(const Catalogue& catalogue) {
  std::string page =
      head(catalogue, "proven", "proves robot motion free of collision, or shows the collision");
  page +=
      ".SH SYNOPSIS\n.B proven\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n"
      ".SH DESCRIPTION\n"
      "Answers for the whole continuous motion of a robot, not for samples of it: free, with a\n"
      "certificate that an independent verifier checks; collision, with a witness; or undecided,\n"
      "with the reason.\n.PP\n"
      "Lengths are metres, angles radians. Data goes to standard output, progress and errors to\n"
      "standard error. Every command takes \\fB\\-\\-json\\fR and \\fB\\-\\-quiet\\fR;\n"
      "\\fB\\-\\-threads\\fR, \\fB\\-\\-seed\\fR and \\fB\\-\\-budget\\fR mean the same wherever "
      "they\n"
      "are honoured.\n.SH COMMANDS\n";
  for (const CommandDescription& command : catalogue.commands)
    page +=
        fmt::format(".TP\n\\fBproven\\-{}\\fR(1)\n{}\n", roff(command.name), roff(command.summary));
  page += kExitStatus;
  page +=
      ".SH ENVIRONMENT\n.TP\nNO_COLOR\nNo colours, also on terminals.\n"
      ".TP\nPROVEN_DATA\nFolder of the robots and problem sets that some benchmarks use.\n";
  return page + see_also(catalogue, "");
}

std::string manual_page(const Catalogue& catalogue, const CommandDescription& command) {
  std::string page = head(catalogue, "proven-" + command.name, command.summary);
  page += synopsis(command);
  std::string arguments, options;
  for (const OptionDescription& option : command.options)
    (option.positional() ? arguments : options) += entry(option);
  if (!arguments.empty()) page += ".SH ARGUMENTS\n" + arguments;
  page += ".SH OPTIONS\n" + options;
  return page + kExitStatus + examples_of(command) + see_also(catalogue, command.name);
}

}  // namespace proven::tools
