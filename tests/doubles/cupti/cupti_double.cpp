// tests/doubles/cupti/cupti_double.cpp: a libcupti that needs no device and forgives nothing.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/doubles/cupti/control.h"
#include "tests/doubles/cupti/layouts.h"

#define DOUBLE_API extern "C" [[gnu::visibility("default")]]

namespace perseid::cupti {

struct SubscriberState {
  Callback callback;
  void* user;
};

namespace {

[[noreturn]] void broken_rule(const char* rule) {
  std::fprintf(stderr, "cupti double: %s\n", rule);
  std::abort();
}

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

uint64_t real_time() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

struct PendingRecord {
  std::vector<uint8_t> bytes;
  uint64_t end;
};
struct FullBuffer {
  uint8_t* memory;
  size_t size;
  size_t valid;
};

thread_local bool t_is_requesting = false;

class Double {
 public:
  const uint32_t version = static_cast<uint32_t>(setting("PERSEID_DOUBLE_VERSION", 130001));

  /// Every function of CUPTI's begins with this.
  Result enter(const char* function) {
    if (getpid() != pid_) broken_rule("CUPTI was called in a forked child");
    const char* rule = std::getenv("PERSEID_DOUBLE_FAIL");
    const std::string prefix = std::string(function) + ':';
    if (rule && std::strncmp(rule, prefix.c_str(), prefix.size()) == 0)
      return static_cast<Result>(std::atoi(rule + prefix.size()));
    return Result::kSuccess;
  }

  Result subscribe(Subscriber* subscriber, Callback callback, void* user, char* other,
                   size_t other_size) {
    if (const char* name = std::getenv("PERSEID_DOUBLE_OTHER")) {
      if (other && other_size > 0) std::snprintf(other, other_size, "%s", name);
      return Result::kMultipleSubscribers;
    }
    const std::lock_guard lock(mutex_);
    if (subscriber_.callback) return Result::kMultipleSubscribers;
    subscriber_ = {callback, user};
    *subscriber = &subscriber_;
    return Result::kSuccess;
  }
  Result unsubscribe() {
    const std::lock_guard lock(mutex_);
    subscriber_ = {};
    callbacks_.clear();
    return Result::kSuccess;
  }
  Result enable_callback(Domain domain, uint32_t id) {
    const std::lock_guard lock(mutex_);
    if (domain == Domain::kRuntime && id >= 505 && version < kVersion13_0)
      return Result::kInvalidParameter;
    callbacks_.insert({domain, id});
    return Result::kSuccess;
  }

  Result enable(ActivityKind kind) {
    const std::lock_guard lock(mutex_);
    if (!subscriber_.callback) broken_rule("an activity was enabled before subscribing");
    if (record_bytes(kind, version) == 0) return Result::kInvalidKind;
    kinds_.insert(kind);
    if (kind == ActivityKind::kDevice) record_devices();
    return Result::kSuccess;
  }
  Result register_callbacks(BufferRequested requested, BufferCompleted completed) {
    const std::lock_guard lock(mutex_);
    requested_ = requested;
    completed_ = completed;
    if (!worker_.joinable()) {
      worker_ = std::thread([this] { work(); });
      worker_.detach();
    }
    return Result::kSuccess;
  }
  Result register_timestamp(Timestamp timestamp) {
    const std::lock_guard lock(mutex_);
    if (!kinds_.empty()) broken_rule("the timestamp callback came after an activity");
    if (version < kVersion11_6) return Result::kInvalidParameter;
    timestamp_ = timestamp;
    return Result::kSuccess;
  }
  uint64_t now() { return timestamp_ ? timestamp_() : real_time(); }

  void call(Domain domain, uint32_t id, const char* function, uint32_t correlation,
            CallbackSite site, int result) {
    SubscriberState subscriber{};
    {
      const std::lock_guard lock(mutex_);
      if (callbacks_.contains({domain, id})) subscriber = subscriber_;
    }
    if (!subscriber.callback) return;
    static thread_local uint64_t shared = 0;
    CallbackData data{};
    data.site = site;
    data.function = function;
    data.return_value = site == CallbackSite::kExit ? &result : nullptr;
    data.correlation_data = &shared;
    data.correlation = correlation;
    subscriber.callback(subscriber.user, domain, id, &data);
  }

  void record(ActivityKind kind, const void* activity, uint64_t end) {
    const std::lock_guard lock(mutex_);
    if (!kinds_.contains(kind) && static_cast<uint32_t>(kind) < 200) return;
    const size_t bytes = record_bytes(kind, version);
    PendingRecord made{std::vector<uint8_t>(bytes, 0xa5), end};
    std::memcpy(made.bytes.data(), activity, std::min(bytes, declared_bytes(kind)));
    pending_.push_back(std::move(made));
  }

  Result flush(bool is_forced) {
    if (is_flushing_.exchange(true)) broken_rule("two flushes at once");
    {
      std::unique_lock lock(mutex_);
      hand_over(is_forced);
      if (current_.memory) finish_buffer();
      wanted_.notify_all();
      delivered_.wait(lock, [this] { return full_.empty() && !is_delivering_; });
    }
    is_flushing_.store(false);
    return Result::kSuccess;
  }

  Result next_record(uint8_t* buffer, size_t valid, Activity** record) {
    size_t at = 0;
    if (*record) {
      auto* before = reinterpret_cast<uint8_t*>(*record);
      at = static_cast<size_t>(before - buffer) + record_bytes((*record)->kind, version);
    }
    if (at >= valid) return Result::kMaxLimitReached;
    *record = reinterpret_cast<Activity*>(buffer + at);
    return Result::kSuccess;
  }

  Result dropped(size_t* count) {
    if (t_is_requesting) broken_rule("CUPTI was called while it asked for a buffer");
    const std::lock_guard lock(mutex_);
    *count = std::exchange(dropped_, 0);
    return Result::kSuccess;
  }

 private:
  /// Under the lock, as the real one does.
  void hand_over(bool is_forced) {
    const uint64_t time = now();
    while (!pending_.empty() && (is_forced || pending_.front().end <= time)) {
      const PendingRecord& next = pending_.front();
      if (!current_.memory) request_buffer();
      if (!current_.memory || to_drop_ > 0) {
        if (to_drop_ > 0) --to_drop_;
        ++dropped_;
      } else {
        std::memcpy(current_.memory + current_.valid, next.bytes.data(), next.bytes.size());
        current_.valid += next.bytes.size();
        if (current_.valid + kMaxRecord > current_.size) finish_buffer();
      }
      pending_.pop_front();
    }
  }
  void request_buffer() {
    size_t max_records = 0;
    t_is_requesting = true;
    requested_(&current_.memory, &current_.size, &max_records);
    t_is_requesting = false;
    if (!current_.memory && version < kVersion12_9) broken_rule("no buffer was given");
    if (!current_.memory) return;
    if (reinterpret_cast<uintptr_t>(current_.memory) % 8 != 0) broken_rule("unaligned buffer");
    std::memset(current_.memory, 0xa5, current_.size);
    current_.size = std::min<size_t>(current_.size, setting("PERSEID_DOUBLE_BUFFER", 1u << 30));
    current_.valid = 0;
  }
  void finish_buffer() {
    full_.push_back(current_);
    current_ = {};
    wanted_.notify_all();
  }

  /// The thread that gives buffers back.
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wanted_.wait(lock, [this] { return !full_.empty(); });
      const FullBuffer buffer = full_.front();
      full_.pop_front();
      is_delivering_ = true;
      lock.unlock();
      completed_(nullptr, 0, buffer.memory, buffer.size, buffer.valid);
      lock.lock();
      is_delivering_ = false;
      delivered_.notify_all();
    }
  }

  /// When they are enabled, devices are told at once; the lock is held.
  void record_devices() {
    static const char* const kNames[] = {"Double A100", "Double H100"};
    for (uint32_t i = 0; i < 2; ++i) {
      DeviceActivity device{};
      device.kind = ActivityKind::kDevice;
      device.id = i;
      device.name = kNames[i];
      device.memory_bytes = uint64_t{40} << 30;
      device.multiprocessors = 108;
      device.capability_major = 8 + i;
      const size_t bytes = record_bytes(device.kind, version);
      PendingRecord made{std::vector<uint8_t>(bytes, 0xa5), 0};
      std::memcpy(made.bytes.data(), &device, std::min(bytes, sizeof device));
      pending_.push_back(std::move(made));
    }
  }

  static constexpr size_t kMaxRecord = 216;
  const pid_t pid_ = getpid();
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::condition_variable delivered_;
  std::thread worker_;
  SubscriberState subscriber_{};
  std::set<std::pair<Domain, uint32_t>> callbacks_;
  std::set<ActivityKind> kinds_;
  BufferRequested requested_ = nullptr;
  BufferCompleted completed_ = nullptr;
  Timestamp timestamp_ = nullptr;
  std::deque<PendingRecord> pending_;
  FullBuffer current_{};
  std::deque<FullBuffer> full_;
  bool is_delivering_ = false;
  std::atomic<bool> is_flushing_{false};
  size_t dropped_ = 0;
  size_t to_drop_ = setting("PERSEID_DOUBLE_DROP", 0);
};

/// Leaked: programs call during exit.
Double& the_double() {
  static Double* const made = new Double;
  return *made;
}

const DoubleControl kControl = {
    [](Domain domain, uint32_t id, const char* function, uint32_t correlation, CallbackSite site,
       int result) { the_double().call(domain, id, function, correlation, site, result); },
    [](ActivityKind kind, const void* activity, uint64_t end) {
      the_double().record(kind, activity, end);
    },
    [] { return the_double().now(); }};

}  // namespace

DOUBLE_API const DoubleControl* perseid_double_control() { return &kControl; }

/// NVTX's entry point. Without it ranges do not come here.
DOUBLE_API int InitializeInjectionNvtx2(void*) { return 1; }

DOUBLE_API Result cuptiGetVersion(uint32_t* version) {
  *version = the_double().version;
  return the_double().enter("cuptiGetVersion");
}
DOUBLE_API Result cuptiGetTimestamp(uint64_t* timestamp) {
  *timestamp = the_double().now();
  return the_double().enter("cuptiGetTimestamp");
}
DOUBLE_API Result cuptiGetResultString(Result, const char** text) {
  *text = "CUPTI_ERROR_OF_THE_DOUBLE";
  return Result::kSuccess;
}
DOUBLE_API Result cuptiSubscribe(Subscriber* subscriber, Callback callback, void* user) {
  const Result result = the_double().enter("cuptiSubscribe");
  return result != Result::kSuccess
             ? result
             : the_double().subscribe(subscriber, callback, user, nullptr, 0);
}
DOUBLE_API Result cuptiSubscribe_v2(Subscriber* subscriber, Callback callback, void* user,
                                    SubscriberParameters* parameters) {
  const Result result = the_double().enter("cuptiSubscribe_v2");
  if (result != Result::kSuccess) return result;
  if (parameters->size < sizeof *parameters) return Result::kInvalidParameter;
  return the_double().subscribe(subscriber, callback, user, parameters->other_name,
                                parameters->other_size);
}
DOUBLE_API Result cuptiUnsubscribe(Subscriber) {
  const Result result = the_double().enter("cuptiUnsubscribe");
  return result != Result::kSuccess ? result : the_double().unsubscribe();
}
DOUBLE_API Result cuptiEnableCallback(uint32_t, Subscriber, Domain domain, uint32_t id) {
  const Result result = the_double().enter("cuptiEnableCallback");
  return result != Result::kSuccess ? result : the_double().enable_callback(domain, id);
}
DOUBLE_API Result cuptiActivityEnable(ActivityKind kind) {
  const Result result = the_double().enter("cuptiActivityEnable");
  return result != Result::kSuccess ? result : the_double().enable(kind);
}
DOUBLE_API Result cuptiActivityEnableAndDump(ActivityKind kind) {
  const Result result = the_double().enter("cuptiActivityEnableAndDump");
  return result != Result::kSuccess ? result : the_double().enable(kind);
}
DOUBLE_API Result cuptiActivityRegisterCallbacks(BufferRequested requested,
                                                 BufferCompleted completed) {
  const Result result = the_double().enter("cuptiActivityRegisterCallbacks");
  return result != Result::kSuccess ? result
                                    : the_double().register_callbacks(requested, completed);
}
DOUBLE_API Result cuptiActivityRegisterTimestampCallback(Timestamp timestamp) {
  const Result result = the_double().enter("cuptiActivityRegisterTimestampCallback");
  return result != Result::kSuccess ? result : the_double().register_timestamp(timestamp);
}
DOUBLE_API Result cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, Activity** record) {
  const Result result = the_double().enter("cuptiActivityGetNextRecord");
  return result != Result::kSuccess ? result : the_double().next_record(buffer, valid, record);
}
DOUBLE_API Result cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  const Result result = the_double().enter("cuptiActivityGetNumDroppedRecords");
  return result != Result::kSuccess ? result : the_double().dropped(dropped);
}
DOUBLE_API Result cuptiActivityFlushAll(uint32_t flags) {
  const Result result = the_double().enter("cuptiActivityFlushAll");
  return result != Result::kSuccess ? result : the_double().flush(flags == kFlushForced);
}
DOUBLE_API Result cuptiActivityFlushPeriod(uint32_t) {
  return the_double().enter("cuptiActivityFlushPeriod");
}
DOUBLE_API Result cuptiActivitySetAttribute(Attribute, size_t*, void*) {
  return the_double().enter("cuptiActivitySetAttribute");
}

}  // namespace perseid::cupti
