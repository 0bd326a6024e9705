// Polynomials in Bernstein form on [0, 1], of real numbers or vectors, by de Casteljau's steps.
#pragma once

#include "proven/kinematics/motion_piece.h"

namespace proven {

template <class Value>
struct Bernstein {
  Value c[kMaxDegree + 1] = {};
  int degree = 0;

  // A value is at most 3 u of the largest control point off per step, so 15 u in all.
  Value at(double t) const {
    Value w[kMaxDegree + 1];
    for (int k = 0; k <= degree; ++k) w[k] = c[k];
    for (int level = degree; level > 0; --level)
      for (int k = 0; k < level; ++k) w[k] = (1 - t) * w[k] + t * w[k + 1];
    return w[0];
  }

  Bernstein derivative() const {
    Bernstein d;
    d.degree = degree > 0 ? degree - 1 : 0;
    for (int k = 0; k < degree; ++k) d.c[k] = static_cast<double>(degree) * (c[k + 1] - c[k]);
    return d;
  }

  // The same polynomial with more control points.
  Bernstein elevated(int to) const {
    Bernstein p = *this;
    for (; p.degree < to; ++p.degree) {
      const int d = p.degree;
      p.c[d + 1] = p.c[d];
      for (int k = d; k > 0; --k) {
        const double share = static_cast<double>(k) / (d + 1);
        p.c[k] = share * p.c[k - 1] + (1 - share) * p.c[k];
      }
    }
    return p;
  }

  // On [begin, end] as a polynomial on [0, 1].
  Bernstein part(double begin, double end) const {
    Bernstein p = *this;
    if (end < 1) {  // keeps the first part: c[k] becomes the value of the first k + 1 points at end
      for (int first = 1; first <= degree; ++first)
        for (int k = degree; k >= first; --k) p.c[k] = (1 - end) * p.c[k - 1] + end * p.c[k];
    }
    const double from = begin > 0 ? begin / end : 0;
    if (from > 0)
      for (int last = degree; last > 0; --last)
        for (int k = 0; k < last; ++k) p.c[k] = (1 - from) * p.c[k] + from * p.c[k + 1];
    return p;
  }
};

}  // namespace proven
