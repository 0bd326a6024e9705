// Factors that round results of a few operations away from zero, the one place of these constants.
// u = 2^-53. Larger budgets (chains of joints, supports) are derived in docs/error_budget.md.
#pragma once

namespace proven {

// Norms, and products of up to six factors, err by less than 6 u, relative to themselves.
inline constexpr double kProductUp = 1 + 0x1p-50, kProductDown = 1 - 0x1p-50;
// Formulas of up to twenty such operations, terms of one sign, err by less than 32 u.
inline constexpr double kFormulaUp = 1 + 0x1p-48;

}  // namespace proven
