// cupti/decode/rows.h: names of the rows of a CUDA device, from the program, NVTX and CUPTI.
//
//   GPU 0 · NVIDIA A100 · solver · physics · stream 9 · halo exchange
//           product       device   context              stream
//
// The program names all but the product, through NVTX, before or after it uses them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cupti/numbers.h"
#include "timeline/drawing/device.h"

namespace perseid::cupti {

class StreamRows {
 public:
  /// The number of the stream's row on its device; the row has a name from now on.
  uint64_t row(Device& device, uint32_t context, uint32_t stream);

  void set_product(Device& device, std::string_view name);
  void set_default(Device& device, uint32_t context, uint32_t stream);
  /// A name that the program gave; only devices, contexts and streams have rows here.
  void set_given(Device& device, ObjectKind kind, uint32_t context, uint32_t stream,
                 std::string_view name);

 private:
  struct DeviceName {
    std::string product;
    std::string given;
  };
  struct Stream {
    Device* device = nullptr;
    bool is_default = false;
    std::string given;
  };

  Stream& stream(Device& device, uint64_t row);
  void name_device(Device& device);
  void name_row(uint64_t row, const Stream& stream);

  std::map<Device*, DeviceName> devices_;
  std::map<uint32_t, std::string> contexts_;
  std::map<uint64_t, Stream> streams_;  // by row: context << 32 | stream
};

}  // namespace perseid::cupti
