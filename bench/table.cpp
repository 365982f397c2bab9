// bench/table.cpp: pads each column to its widest cell.
#include "bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace perseid::bench {

Table::Table(std::string title, std::vector<std::string> columns)
    : title_(std::move(title)), rows_{std::move(columns)} {}

void Table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void Table::print() const {
  std::vector<size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());

  std::string text = fmt::format("\n{}\n\n", title_);
  const auto add_line = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i)
      text += i == 0 ? fmt::format("| {:<{}} |", row[i], widths[i])
                     : fmt::format(" {:>{}} |", row[i], widths[i]);
    text += '\n';
  };
  add_line(rows_.front());
  for (size_t i = 0; i < widths.size(); ++i)
    text += i == 0 ? fmt::format("|:{:-<{}}|", "", widths[i] + 1)
                   : fmt::format("{:-<{}}:|", "", widths[i] + 1);
  text += '\n';
  for (size_t i = 1; i < rows_.size(); ++i) add_line(rows_[i]);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::string fixed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

}  // namespace perseid::bench
