// tools/perseid/capture_removal.h: deletes a capture whose timeline is there, and nothing else.
//
// The capture is first renamed to .NAME.capture.removing: other processes see it whole or not at
// all, and what a killed `perseid` leaves of it is known for what it is.
#pragma once

#include <string>
#include <vector>

#include "capture/result.h"

namespace perseid {

/// Why the capture may still be recorded; "": it is over. Whoever wants to remove it asks before
/// the export: what ends during it has recorded more than was exported.
std::string why_recorded(const std::string& capture);

/// Removes exactly the files that capture/format.h names, the rings, and the directories if that
/// leaves them empty. Foreign files are never touched, and no link is followed. Refuses if a
/// process may still record it (capture/recorder_life.h). An error names what stayed, and why.
Result<bool> remove_capture(const std::string& capture);

/// Reads the timelines again: an error if one of them is not whole. What is not a regular file, as
/// /dev/null, was the user's wish.
Result<bool> read_back(const std::vector<std::string>& timelines);

/// The rest of a capture that was being removed when `perseid` was killed.
bool is_half_removed(const std::string& path);

/// Takes away such rests of our own in a directory.
void remove_rests_in(const std::string& directory);

}  // namespace perseid
