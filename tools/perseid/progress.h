// tools/perseid/progress.h: percentage of an export, if stderr is a terminal.
#pragma once

#include <functional>
#include <memory>

namespace perseid {

/// Draws "perseid: 42 %" on stderr once a second has passed, and wipes it at its end.
class Progress {
 public:
  Progress();
  ~Progress();

  /// Empty if stderr is not a terminal.
  std::function<void(double)> callback() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace perseid
