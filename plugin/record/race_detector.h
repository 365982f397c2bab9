// plugin/record/race_detector.h: programs built with ThreadSanitizer.
//
// The detector's runtime interposes memcpy, read, mmap and hundreds of other functions, also where
// this library calls them, but does not see the atomic operations that order our threads. It would
// report races that are none and end the program with status 66. It offers functions to look away,
// which are null in all other programs.
#pragma once

// A library that is built with it shall be looked at.
#if defined(__SANITIZE_THREAD__)
#define PERSEID_IS_WATCHED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERSEID_IS_WATCHED
#endif
#endif

#ifndef PERSEID_IS_WATCHED
extern "C" {
[[gnu::weak]] void AnnotateIgnoreReadsBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace perseid {

/// While it lives, the program's race detector does not look at what this thread reads and writes.
/// Objects of it nest. One load and one branch in programs without a detector.
class Unwatched {
 public:
#ifdef PERSEID_IS_WATCHED
  Unwatched() noexcept {}
  ~Unwatched() {}
#else
  Unwatched() noexcept {
    if (!is_possible()) return;
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~Unwatched() {
    if (!is_possible()) return;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }

 private:
  static bool is_possible() noexcept {
    return AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesBegin &&
           AnnotateIgnoreWritesEnd;
  }

 public:
#endif
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
};

}  // namespace perseid
