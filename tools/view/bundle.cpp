#include "tools/view/bundle.h"

// The assembler reads the files as they are; PROVEN_VIEWER_DIR is where npm's build put them.
#define PROVEN_EMBED(symbol, file)                                                           \
  asm(".pushsection .rodata\n.global " #symbol "_begin\n" #symbol "_begin:\n.incbin \"" file \
      "\"\n.global " #symbol "_end\n" #symbol "_end:\n.byte 0\n.popsection\n");              \
  extern "C" const char symbol##_begin[], symbol##_end[]

#ifdef PROVEN_VIEWER_DIR
PROVEN_EMBED(proven_viewer_js, PROVEN_VIEWER_DIR "/viewer.js");
PROVEN_EMBED(proven_viewer_css, PROVEN_VIEWER_DIR "/viewer.css");
#endif

namespace proven::tools {

#ifdef PROVEN_VIEWER_DIR
std::string_view viewer_script() {
  return {proven_viewer_js_begin, proven_viewer_js_end};
}
std::string_view viewer_style() {
  return {proven_viewer_css_begin, proven_viewer_css_end};
}
#else
std::string_view viewer_script() {
  return {};
}
std::string_view viewer_style() {
  return {};
}
#endif

}  // namespace proven::tools
