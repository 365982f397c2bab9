// tests/unit/plugin/held_directory.h: a directory of one test, held as the session holds its own.
#pragma once

#include "plugin/session/own_directory.h"
#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {

class HeldDirectory : public TemporaryDirectory {
 public:
  HeldDirectory() {
    if (!own_.open(path().c_str())) throw std::runtime_error("open " + path());
  }
  ~HeldDirectory() { own_.close(); }
  OwnDirectory& own() noexcept { return own_; }

 private:
  OwnDirectory own_;
};

}  // namespace perseid
