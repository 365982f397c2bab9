// starpu_hooks/decode/decoder.h: shows what StarPU did.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::starpu {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::starpu
