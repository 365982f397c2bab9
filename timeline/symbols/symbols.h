// timeline/symbols/symbols.h: names for the code addresses in records.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "timeline/symbols/code_place.h"
#include "timeline/symbols/module_table.h"

namespace perseid {

/// Each address is looked up once; programs have few. Which debug information there is shows when
/// a module is first asked for.
class Symbols {
 public:
  /// `may_load_libraries`: false inside a host that a signal stopped, maybe in the middle of
  /// malloc or dlopen. Then functions come from symbol tables alone, without source lines.
  Symbols(std::string_view modules_text, bool may_load_libraries);
  ~Symbols();

  /// Of the call before a return address.
  const CodePlace& caller(uint64_t return_address, uint64_t ticks);
  /// Of a function's first instruction.
  const CodePlace& function(uint64_t address, uint64_t ticks);

  size_t bad_lines() const noexcept { return modules_.bad_lines(); }
  /// The file name of the stripped program or library with the most places that have no name; "" if
  /// there is none.
  std::string stripped_module() const;
  /// False: an address has the same place whenever it is asked for.
  bool depends_on_time() const noexcept { return modules_.is_ambiguous(); }

 private:
  struct Source;

  const CodePlace& look_up(uint64_t address, uint64_t asked, uint64_t ticks);
  Source& source_of(const Module& module);

  ModuleTable modules_;
  bool may_load_libraries_;
  /// By the file, whatever it is called: a capture may name one again and again.
  std::map<std::tuple<dev_t, ino_t, std::string>, std::unique_ptr<Source>> sources_;
  std::unordered_map<const Module*, Source*> source_of_;
  std::unordered_map<const Module*, std::unordered_map<uint64_t, CodePlace>> places_;
};

}  // namespace perseid
