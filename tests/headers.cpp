// Carries the precompiled headers that all tests share (CMakeLists.txt): a program, as they are.
int main() {}
