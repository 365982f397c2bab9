// bench/table.h: rows of text as an aligned Markdown table.
#pragma once

#include <string>
#include <vector>

namespace perseid::bench {

class Table {
 public:
  Table(std::string title, std::vector<std::string> columns);

  void add(std::vector<std::string> cells);
  /// The first column is flush left, numbers in the others flush right.
  void print() const;

 private:
  std::string title_;
  std::vector<std::vector<std::string>> rows_;  // the first one holds the columns' names
};

std::string fixed(double value, int decimals);

}  // namespace perseid::bench
