// capture/reader.cpp: puts the files of a capture together.
#include "capture/reader.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "capture/format.h"
#include "capture/unmade.h"

namespace perseid {
namespace {

constexpr size_t kMaxManifestBytes = 1 << 20;
constexpr size_t kMaxTopologyBytes = 4 << 20;
constexpr size_t kMaxModulesBytes = 16 << 20;
/// All cursors' buffers together, roughly.
constexpr size_t kBufferBudget = size_t{128} << 20;
constexpr size_t kMinWindow = 8192;  // a few of the largest records

std::vector<std::string> ring_files(const std::string& directory) {
  std::vector<std::string> paths;
  DIR* const opened = ::opendir(directory.c_str());
  if (opened == nullptr) return paths;
  while (const dirent* const entry = ::readdir(opened)) {
    if (std::string_view(entry->d_name).ends_with(kRingSuffix)) {
      paths.push_back(directory + "/" + entry->d_name);
    }
  }
  ::closedir(opened);
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// Killed while the capture was being made: the manifest comes first and the spool before any ring,
/// so nothing can have been recorded, and nothing is missing.
bool is_half_made(const std::string& path, const Manifest& manifest) {
  if (is_unmade(path)) return true;
  return manifest.problem.empty() && !File(path + "/" + kSpoolFile, File::Link::kRefused).is_open();
}

}  // namespace

Result<std::unique_ptr<Capture>> Capture::open(const std::string& path, const KnownKinds& known) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return Error{fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  if (!S_ISDIR(status.st_mode)) {
    return Error{
        fmt::format("{} is not a capture: a capture is a directory NAME{}", path, kCaptureSuffix)};
  }
  std::unique_ptr<Capture> capture(new Capture(path, known));
  capture->read_texts();
  const Manifest& manifest = capture->manifest_;
  if (manifest.version > kFormatVersion) {
    return Error{fmt::format(
        "{} has format {}, this Perseid reads up to {}; export it with the version that wrote it",
        path, manifest.version, kFormatVersion)};
  }

  File spool(path + "/" + kSpoolFile, File::Link::kRefused);
  const bool has_spool = spool.is_open();
  uint64_t session = manifest.problem.empty() ? manifest.get_number("session", 16) : 0;
  if (session == 0) session = capture->state_.session;

  // Rings before the spool: what leaves a live ring from here on is in the spool when it is read.
  std::string rings(manifest.get("rings"));
  const bool is_elsewhere = !rings.empty() && is_directory(rings);
  if (!is_elsewhere) rings = path;
  capture->read_rings(rings);
  if (is_elsewhere && rings != path) capture->read_rings(path);
  if (capture->is_overwriting_) {
    // Rings that a live flight recorder gave up before they were read: in neither otherwise.
    const RecordedState now = read_state(File(path + "/" + kStateFile, File::Link::kRefused));
    capture->state_.overwritten_bytes = now.overwritten_bytes;
    capture->state_.overwritten_ticks = now.overwritten_ticks;
  }
  capture->spool_ = SpoolIndex(std::move(spool), session, capture->state_.spool_errors > 0,
                               capture->damages_, capture->anchors_);
  if (session == 0) session = capture->spool_.session();
  if (session == 0 && !capture->rings_.empty()) session = capture->rings_.front().session;
  std::erase_if(capture->rings_, [&](const RingSnapshot& ring) { return ring.session != session; });
  if (manifest.version == 0 && !has_spool && capture->rings_.empty() && capture->state_.pid == 0 &&
      !is_unmade(path)) {
    return Error{
        fmt::format("{} is not a capture: it has no manifest, state, spool or ring", path)};
  }
  if (!has_spool && capture->state_.spooled_bytes > 0) {
    capture->damages_.add({DamageKind::kSpool, 0, 0, "spool: the file cannot be opened"});
  }
  File strings(path + "/" + kStringsFile, File::Link::kRefused);
  if (strings.is_open() || !is_half_made(path, manifest)) {
    capture->strings_ = StringTable(std::move(strings), session, capture->damages_);
  }

  capture->detect_life();
  // Rings that were in the capture itself move with it.
  const bool were_outside =
      !manifest.get("rings").empty() && !manifest.get("rings").ends_with(kCaptureSuffix);
  if (!is_elsewhere && were_outside && capture->state_.end == SessionEnd::kRunning &&
      !is_half_made(path, manifest)) {
    capture->rings_are_complete_ = false;
    capture->damages_.add({DamageKind::kRing, 0, 0,
                           fmt::format("rings: the directory {} is gone, and each thread's "
                                       "latest records with it",
                                       manifest.get("rings"))});
  }
  capture->gather_streams();
  capture->check_truncated_spool();
  for (const ClockAnchor& anchor : capture->state_.anchors) capture->anchors_.add(anchor);
  capture->kept_anchors_ = capture->anchors_.take();
  DamageLog* const clock_damages = is_half_made(path, manifest) ? nullptr : &capture->damages_;
  capture->timebase_ =
      Timebase(capture->kept_anchors_, manifest.get_number("tsc_hz"), clock_damages);
  return capture;
}

void Capture::align(const ClockLine& line) {
  std::vector<ClockAnchor> moved = kept_anchors_;
  for (ClockAnchor& anchor : moved) anchor.mono_ns = line.map(anchor.mono_ns);
  timebase_ = Timebase(moved, manifest_.get_number("tsc_hz"), nullptr, 0);
}

Capture::Capture(std::string path, const KnownKinds& known)
    : path_(std::move(path)), known_(known) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

void Capture::read_texts() {
  const File manifest(path_ + "/" + kManifestFile, File::Link::kRefused);
  if (manifest.is_open()) {
    manifest_ = parse_manifest(manifest.read_text(kMaxManifestBytes));
  } else {
    manifest_.problem = "it cannot be opened: " + File::problem();
  }
  if (!manifest_.problem.empty() && !is_unmade(path_)) {
    damages_.add({DamageKind::kManifest, 0, 0, "manifest: " + manifest_.problem});
  }
  state_ = read_state(File(path_ + "/" + kStateFile, File::Link::kRefused));
  if (!state_.problem.empty() && !is_half_made(path_, manifest_)) {
    damages_.add({DamageKind::kState, 0, 0, "state: " + state_.problem});
  }
  const File topology(path_ + "/" + kTopologyFile, File::Link::kRefused);
  if (topology.is_open()) topology_ = topology.read_text(kMaxTopologyBytes);
  const File modules(path_ + "/" + kModulesFile, File::Link::kRefused);
  if (modules.is_open()) modules_ = modules.read_text(kMaxModulesBytes);
}

void Capture::read_rings(const std::string& directory) {
  const uint64_t session = manifest_.problem.empty() ? manifest_.get_number("session", 16) : 0;
  for (const std::string& path : ring_files(directory)) {
    const File file(path, File::Link::kRefused);
    RingSnapshot ring = read_ring_header(path, file, session != 0 ? session : state_.session);
    if (!ring.problem.empty()) {
      rings_are_complete_ = false;
      damages_.add({DamageKind::kRing, 0, 0, fmt::format("ring {}: {}", path, ring.problem)});
    } else {
      is_overwriting_ = is_overwriting_ || ring.on_full == OnFull::kOverwrite;
      if (ring.info.stream != 0) rings_.push_back(std::move(ring));
    }
  }
}

void Capture::gather_streams() {
  if (manifest_.get("settings").find("on_full=overwrite") != std::string_view::npos) {
    is_overwriting_ = true;
  }
  for (auto& [number, chunks] : spool_.streams()) {
    streams_.push_back({chunks.info, chunks.base, &chunks.chunks, nullptr, chunks.role});
  }
  std::sort(streams_.begin(), streams_.end(), [](const StreamSource& a, const StreamSource& b) {
    return a.info.stream < b.info.stream;
  });
  const size_t with_chunks = streams_.size();
  for (const RingSnapshot& ring : rings_) {
    const auto end = streams_.begin() + static_cast<std::ptrdiff_t>(with_chunks);
    const auto found =
        std::lower_bound(streams_.begin(), end, ring.info.stream,
                         [](const StreamSource& s, uint32_t n) { return s.info.stream < n; });
    if (found != end && found->info.stream == ring.info.stream) {
      found->info = ring.info;
      found->base = std::min(found->base, ring.base);
      found->ring = &ring;
      found->role = ring.role;
    } else {
      streams_.push_back({ring.info, ring.base, nullptr, &ring, ring.role});
    }
    record_bytes_ += ring.head - ring.first;
  }
  std::stable_sort(
      streams_.begin(), streams_.end(),
      [](const StreamSource& a, const StreamSource& b) { return a.info.stream < b.info.stream; });
  // Two rings that claim one stream: only the first can be right.
  const auto twice = std::unique(
      streams_.begin(), streams_.end(),
      [](const StreamSource& a, const StreamSource& b) { return a.info.stream == b.info.stream; });
  streams_.erase(twice, streams_.end());
  record_bytes_ += spool_.payload_bytes();
}

/// Half a chunk is a loss only if its bytes are nowhere else. Losses in the middle of a stream
/// are gaps, which its cursor finds; here is what would be missing at its end.
void Capture::check_truncated_spool() {
  for (const SpoolIndex::TornChunk& torn : spool_.torn_chunks()) {
    const auto source = std::lower_bound(
        streams_.begin(), streams_.end(), torn.stream,
        [](const StreamSource& s, uint32_t number) { return s.info.stream < number; });
    uint64_t end = 0;
    if (source != streams_.end() && source->info.stream == torn.stream) {
      if (source->ring != nullptr) end = source->ring->head;
      if (source->chunks != nullptr) end = std::max(end, source->chunks->back().end());
    }
    if (end >= torn.position + torn.bytes) continue;
    damages_.add({DamageKind::kChunk, torn.stream, torn.position,
                  fmt::format("stream {}: the chunk of {} bytes at position {} is cut short",
                              torn.stream, torn.bytes, torn.position)});
  }
  if (state_.end == SessionEnd::kRunning && rings_are_complete_) return;
  if (spool_.torn_bytes() > 0 && state_.spool_errors == 0) {
    damages_.add({DamageKind::kSpool, 0, spool_.file().size() - spool_.torn_bytes(),
                  fmt::format("spool: {} bytes at its end are not a chunk", spool_.torn_bytes())});
  } else if (spool_.file().size() < state_.spooled_bytes && spool_.torn_chunks().empty()) {
    damages_.add({DamageKind::kSpool, 0, spool_.file().size(),
                  fmt::format("spool: {} bytes at its end are missing",
                              state_.spooled_bytes - spool_.file().size())});
  }
}

void Capture::detect_life() {
  life_ = recorder_life(path_, manifest_, state_);
  is_live_ = life_ == RecorderLife::kAlive;
  // A capture without the signs of life of today's ones: its machine and process must do.
  if (life_ != RecorderLife::kUnknown || !manifest_.get("boot_id").empty()) return;
  if (state_.end != SessionEnd::kRunning || state_.pid == 0 || !state_.problem.empty()) return;
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  const std::string_view recorded = manifest_.get("host");
  if (!recorded.empty() && recorded != host) return;
  is_live_ = ::kill(static_cast<pid_t>(state_.pid), 0) == 0 || errno == EPERM;
}

size_t Capture::window_bytes() const noexcept {
  const size_t share = kBufferBudget / std::max<size_t>(streams_.size(), 1);
  return std::clamp<size_t>(share & ~size_t{7}, kMinWindow, kMaxChunkBytes);
}

}  // namespace perseid
