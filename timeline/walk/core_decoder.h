// timeline/walk/core_decoder.h: shows what the recording core records of itself.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::core {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::core
