// What JavaScript calls: a question, and the answer, which stays until the next one.
#include <string>

#include "web/answer.h"

extern "C" const char* proven_answer(const char* question) {
  static proven::web::Answers answers;
  static std::string answer;
  answer = answers.to(question);
  return answer.c_str();
}
