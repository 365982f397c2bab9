// mpi/decode/decoder.h: MPI's records become slices, and its messages arrows.
#pragma once

#include <memory>

#include "timeline/walk/decoder.h"

namespace perseid::mpi {

std::unique_ptr<Decoder> make_decoder(Model& model);

}  // namespace perseid::mpi
