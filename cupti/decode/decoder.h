// cupti/decode/decoder.h: shows what CUDA devices did.
#pragma once

#include <memory>

#include "timeline/decoder.h"

namespace perseid::cupti {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::cupti
