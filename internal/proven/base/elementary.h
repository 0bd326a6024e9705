// Elementary functions with the same bits on every machine. C libraries differ in the last bit of
// sines, even one library on two processors; certificates and boxes should not.
#pragma once

namespace proven {

struct SineCosine {
  double sine, cosine;
};

// Within 2^-53 of the exact values. Beyond 2^19 radians they are the C library's.
SineCosine sine_cosine(double angle);
inline double sine(double angle) {
  return sine_cosine(angle).sine;
}
inline double cosine(double angle) {
  return sine_cosine(angle).cosine;
}

// The angle of (x, y), from -π to π: within 2^-53 of it for 0 <= y <= x, within 2^-51 elsewhere.
double arc_tangent(double y, double x);

// sqrt(x² + y²), within 2^-52 of it, relative, where that is a normal number; neither overflows
// nor underflows in between.
double hypotenuse(double x, double y);

// Within 2^-50, relative. For sizes that are chosen, not for bounds.
double cube_root(double x);

}  // namespace proven
