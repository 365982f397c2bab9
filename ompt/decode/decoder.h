// ompt/decode/decoder.h: OpenMP's records -> tasks, regions and waits of the timeline.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::ompt {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::ompt
