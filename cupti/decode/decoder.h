// cupti/decode/decoder.h: shows what CUDA devices did.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::cupti {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::cupti
