// plugin/session/connect.h: finds programs that were built with perseid.h and lets them call us.
#pragma once

struct perseid_api;

namespace perseid {

/// The functions that perseid.h calls.
const perseid_api* annotation_api() noexcept;

/// A program or library of this process was built with perseid.h.
bool has_annotations() noexcept;

/// Looks through the ELF notes of all loaded files and fills in their perseid_api_slot.
void connect_programs() noexcept;

}  // namespace perseid
