// annotations/decode/decoder.h: shows the annotations that user code made with perseid.h.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::annotations {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::annotations
