// cmake/fmt_library.cpp: fmt, compiled once for all of our targets.
#include <fmt/format-inl.h>

#if FMT_VERSION >= 90000 && FMT_VERSION < 110000
// Declared as being elsewhere in format.h: this is where they are.
template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
#endif
