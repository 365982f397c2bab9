// opencl/decode/decoder.h: shows what OpenCL devices did.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::opencl {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::opencl
