// Questions and answers in JSON (docs/web.md): what the page asks of the checker and the verifier,
// in WebAssembly and, for the tests, in a native program.
#pragma once

#include <memory>
#include <string>

namespace proven::web {

// Keeps the scene that was asked for last.
class Answers {
 public:
  Answers();
  ~Answers();

  // Never throws: what is wrong is the member "error" of the answer.
  std::string to(const std::string& question);

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace proven::web
