// tools/perseid/option_values.h: counts, sizes and times as users type them.
#pragma once

#include <cstdint>
#include <string_view>

namespace perseid {

/// "1000000" or "all", which is UINT64_MAX. False if it is neither.
bool read_count(std::string_view text, uint64_t& count);

/// "4096", "500M", "2G" or "all".
bool read_size(std::string_view text, uint64_t& bytes);

/// "1.5" and "1.5s" are seconds; also ms, us and ns.
bool read_time(std::string_view text, int64_t& ns);

}  // namespace perseid
