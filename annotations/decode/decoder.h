// annotations/decode/decoder.h: shows what user code said through perseid.h.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::annotations {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::annotations
