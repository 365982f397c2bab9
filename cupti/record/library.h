// cupti/record/library.h: CUPTI's functions, found in the process or loaded when CUDA starts.
#pragma once

#include "cupti/record/api.h"

namespace perseid::cupti {

/// Null members: this CUPTI has no such function.
struct Library {
  Result (*get_version)(uint32_t* version);
  Result (*get_timestamp)(uint64_t* timestamp);
  Result (*get_result_string)(Result result, const char** text);
  Result (*subscribe)(Subscriber* subscriber, Callback callback, void* user);
  Result (*subscribe_v2)(Subscriber* subscriber, Callback callback, void* user,
                         SubscriberParameters* parameters);
  Result (*unsubscribe)(Subscriber subscriber);
  Result (*enable_callback)(uint32_t is_on, Subscriber subscriber, Domain domain, uint32_t id);
  Result (*activity_enable)(ActivityKind kind);
  Result (*activity_enable_and_dump)(ActivityKind kind);
  Result (*register_callbacks)(BufferRequested requested, BufferCompleted completed);
  Result (*register_timestamp)(Timestamp timestamp);
  Result (*set_attribute)(Attribute attribute, size_t* size, void* value);
  Result (*next_record)(uint8_t* buffer, size_t valid_bytes, Activity** record);
  Result (*dropped_records)(void* context, uint32_t stream, size_t* dropped);
  Result (*flush_all)(uint32_t flags);
  Result (*flush_period)(uint32_t milliseconds);
};

/// The one in the process, or loaded now; null if there is none.
void* open_library() noexcept;

/// Finds what is needed. False, with the reason in `why`, if there is none or it is too incomplete.
bool load_library(Library& library, const char*& file, char* why, size_t why_bytes) noexcept;

}  // namespace perseid::cupti
