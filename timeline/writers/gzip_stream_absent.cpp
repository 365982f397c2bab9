// timeline/writers/gzip_stream_absent.cpp: GzipStream where zlib is not. Linked before
// gzip_stream.cpp in libperseid.so if there is no static zlib: the host's must not be needed.
#include "timeline/writers/gzip_stream.h"

namespace perseid {

bool GzipStream::is_available() noexcept { return false; }
size_t GzipStream::sensible_threads() noexcept { return 0; }

GzipStream::GzipStream(ByteSink& to, size_t) : to_(&to) {}
GzipStream::~GzipStream() = default;
void GzipStream::write(const char*, size_t) noexcept {}
void GzipStream::finish() noexcept { to_->finish(); }

}  // namespace perseid
