// timeline/drawing/device.h: what a device did, on one row per stream or queue of it.
//
// Devices report what they did long after it is over, stream by stream. Work waits here until
// nothing earlier is likely to come, so that rows fill from left to right; what comes later still
// is shown on a row of its own rather than wrongly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/drawing/counter.h"
#include "timeline/drawing/model.h"

namespace perseid {

// Categories: what a query selects slices by, whatever the device.
inline constexpr Category kKernelCategory{"kernel", SliceRole::kWork};
inline constexpr Category kCopyCategory{"copy", SliceRole::kTransfer};
inline constexpr Category kFillCategory{"fill", SliceRole::kTransfer};
inline constexpr Category kDeviceCategory{"device"};  // everything else on a device
inline constexpr Category kCallCategory{"device call", SliceRole::kSubmission};
inline constexpr Category kDeviceWaitCategory{"device wait", SliceRole::kWait};

/// One operation of a device, finished.
struct DeviceWork {
  uint64_t row = 0;  // as Device::name_row() numbers them
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::string_view name;  // outlives the model, as does the category
  Category category;
  ArgumentList arguments;
  TaskId task = 0;      // on whose behalf it was called
  FlowEnd in{};         // id 0: nobody knows the call
  bool is_busy = true;  // false: the device itself does nothing meanwhile
};

class Device {
 public:
  /// `label` is "GPU 0" or "OpenCL 0"; devices are drawn in order of `place`.
  Device(Model& model, std::string label, uint32_t place);

  /// The device's product name, shown after the label.
  void set_name(std::string_view name);
  /// "stream 7", "queue 2".
  void name_row(uint64_t row, std::string name);
  const std::string& label() const noexcept { return label_; }
  const std::string& title() const noexcept { return title_; }

  void add(std::unique_ptr<DeviceWork> work);
  /// A value of the device's, such as its memory in use. One track per name.
  Counter& counter(std::string_view name);
  /// Shows everything that still waits.
  void finish();

 private:
  static constexpr size_t kMaxWaiting = 4096;

  struct Later {
    bool operator()(const std::unique_ptr<DeviceWork>& a,
                    const std::unique_ptr<DeviceWork>& b) const noexcept {
      return a->begin_ns > b->begin_ns;
    }
  };
  struct RowLane {
    std::string name;
    std::unique_ptr<Lane> lane;
  };

  void show_first();
  void count(const DeviceWork& work);
  void count_until(int64_t at_ns);
  std::string row_title(const RowLane& row) const;

  Model* model_;
  std::string label_;
  std::string title_;
  uint32_t place_;
  std::map<uint64_t, RowLane> rows_;
  std::vector<std::unique_ptr<DeviceWork>> waiting_;  // a heap, the earliest on top
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends_;  // of running work
  std::unique_ptr<Counter> busy_;
  int64_t counted_ns_ = 0;
  std::map<std::string, Counter, std::less<>> counters_;
};

}  // namespace perseid
