// plugin/session/export_progress.cpp: prints after intervals that double.
#include "plugin/session/export_progress.h"

#include "plugin/session/message.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

void ExportProgress::print(double share, int64_t now_ns) noexcept {
  const int64_t taken_ns = now_ns - begin_ns_;
  if (taken_ns < next_ns_ || share >= 1) return;
  while (next_ns_ <= taken_ns) next_ns_ *= 2;
  FixedText<256> line;
  line << "writing the timeline: " << static_cast<uint64_t>(100 * share) << " % after "
       << static_cast<uint64_t>(taken_ns / 1'000'000'000)
       << " s; to end at once, set export=0 and run `perseid export` later";
  print_message(line.c_str());
}

}  // namespace perseid
