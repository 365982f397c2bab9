// plugin/session/manifest_writer.h: the capture's text file of facts, written once at the start.
#pragma once

namespace perseid {

struct Session;

/// CAPTURE/manifest; capture/manifest.h reads it back. False and errno on failure.
bool write_manifest(Session& session) noexcept;

}  // namespace perseid
