// starpu_hooks/decode/data.h: StarPU's data handles: names, sizes, places in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "starpu_hooks/decode/payload.h"
#include "timeline/drawing/model.h"
#include "timeline/model/data_order.h"

namespace perseid::starpu::decoding {

class DataTable {
 public:
  DataTable(Model& model, const int64_t& now_ns) : model_(&model), now_ns_(&now_ns) {}

  void add(const Payload& words);
  void set_name(uint32_t name, const Payload& words);
  void set_coordinates(uint32_t count, const Payload& words);
  void set_partition(uint32_t what, const Payload& words);
  void add_address(uint32_t node, const Payload& words);
  /// No task will use it any more; those that do already still show its name.
  void retire(uint64_t handle);
  /// The program gives it up: its next access is the last one.
  void retire_after_access(uint64_t handle);
  bool is_leaving(uint64_t handle) const;
  void clear();

  /// "A", "A(2,1)", "A[3]" for a part of A, or the handle's address.
  std::string name(uint64_t handle) const;
  /// "RW A(2,1) 32768 B". Valid until the next call.
  std::string_view describe_access(uint64_t handle, uint32_t mode, uint64_t bytes);
  DataOrder& order(uint64_t handle) { return facts_[handle].order; }
  /// As the model's rows name it.
  DataId id(uint64_t handle);
  /// The handle to which this memory belongs; 0 if unknown.
  uint64_t find(uint32_t node, uint64_t address, uint64_t bytes) const;

 private:
  struct Place {
    uint32_t node;
    uint64_t address;
  };
  /// The text of an access: tasks use the same pieces of data in the same ways.
  struct ShownAccess {
    uint32_t mode;
    uint64_t bytes;
    std::string text;
  };
  struct Facts {
    uint32_t name = 0;  // string id
    uint64_t parent = 0;
    uint32_t index = 0;  // below the parent
    std::vector<uint64_t> children;
    uint64_t bytes = 0;
    DataId id = 0;  // 0: no row names it yet
    bool is_retired = false;
    bool is_leaving = false;
    std::vector<int64_t> coordinates;
    std::vector<Place> places;
    std::vector<ShownAccess> shown;
    uint64_t shown_at = 0;  // `names_` when they were made
    DataOrder order;
  };
  struct Extent {
    uint64_t bytes;
    uint64_t handle;
  };
  using AddressMap = std::multimap<uint64_t, Extent>;

  Facts& renew(uint64_t handle);
  void place(uint64_t handle, uint32_t node, uint64_t address, uint64_t bytes);
  void forget_places(uint64_t handle, Facts& facts);

  DataRow row_of(const Facts& facts, uint64_t handle) const;

  Model* model_;
  const int64_t* now_ns_;
  std::unordered_map<uint64_t, Facts> facts_;
  std::map<uint32_t, AddressMap> addresses_;  // by node
  std::deque<uint64_t> retired_;
  uint64_t names_ = 0;  // changes of names and of what they are made of
  std::string text_;    // of an access to data that are not known
};

/// "R", "RW", "W commute", "scratch", ...
std::string_view mode_name(uint32_t mode);

}  // namespace perseid::starpu::decoding
