// The same as the module, in a native program: a question per line, an answer per line.
#include <iostream>
#include <string>

#include "web/answer.h"

int main() {
  proven::web::Answers answers;
  for (std::string line; std::getline(std::cin, line);) std::cout << answers.to(line) << std::endl;
}
