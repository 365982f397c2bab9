// cupti/decode/rows.cpp: joins the names of device, context and stream.
#include "cupti/decode/rows.h"

#include <fmt/format.h>

namespace perseid::cupti {
namespace {

constexpr uint64_t number_of(uint32_t context, uint32_t stream) {
  return uint64_t{context} << 32 | stream;
}

}  // namespace

uint64_t StreamRows::row(Device& device, uint32_t context, uint32_t stream_number) {
  const uint64_t row = number_of(context, stream_number);
  stream(device, row);
  return row;
}

void StreamRows::set_product(Device& device, std::string_view name) {
  devices_[&device].product = name;
  name_device(device);
}

void StreamRows::set_default(Device& device, uint32_t context, uint32_t stream_number) {
  const uint64_t row = number_of(context, stream_number);
  Stream& made = stream(device, row);
  made.is_default = true;
  name_row(row, made);
}

void StreamRows::set_given(Device& device, ObjectKind kind, uint32_t context,
                           uint32_t stream_number, std::string_view name) {
  if (kind == ObjectKind::kDevice) {
    devices_[&device].given = name;
    name_device(device);
  } else if (kind == ObjectKind::kContext) {
    contexts_[context] = name;
    const auto end = streams_.upper_bound(number_of(context, UINT32_MAX));
    for (auto one = streams_.lower_bound(number_of(context, 0)); one != end; ++one)
      name_row(one->first, one->second);
  } else if (kind == ObjectKind::kStream) {
    const uint64_t row = number_of(context, stream_number);
    Stream& named = stream(device, row);
    named.given = name;
    name_row(row, named);
  }
}

StreamRows::Stream& StreamRows::stream(Device& device, uint64_t row) {
  const auto [found, is_new] = streams_.try_emplace(row);
  if (is_new) {
    found->second.device = &device;
    name_row(row, found->second);
  }
  return found->second;
}

void StreamRows::name_device(Device& device) {
  const DeviceName& name = devices_[&device];
  const bool has_both = !name.product.empty() && !name.given.empty();
  device.set_name(fmt::format("{}{}{}", name.product, has_both ? " · " : "", name.given));
}

void StreamRows::name_row(uint64_t row, const Stream& stream) {
  std::string text = fmt::format("stream {}", static_cast<uint32_t>(row));
  if (stream.is_default) text += " (default)";
  if (!stream.given.empty()) text += " · " + stream.given;
  const auto context = contexts_.find(static_cast<uint32_t>(row >> 32));
  if (context != contexts_.end() && !context->second.empty()) text = context->second + " · " + text;
  stream.device->name_row(row, std::move(text));
}

}  // namespace perseid::cupti
