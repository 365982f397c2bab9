// tools/perseid/progress.h: how far an export is, for somebody who sits at a terminal.
#pragma once

#include <functional>
#include <memory>

namespace perseid {

/// Draws "perseid: 42 %" on stderr once a second has passed, and wipes it at its end.
class Progress {
 public:
  Progress();
  ~Progress();

  /// Empty if stderr is no terminal.
  std::function<void(double)> callback() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace perseid
