// timeline/core_decode.h: shows what the recording core says of itself.
#pragma once

#include <memory>

#include "timeline/decoder.h"

namespace perseid::core {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::core
