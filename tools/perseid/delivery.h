// tools/perseid/delivery.h: from the captures of a run to its timelines.
#pragma once

#include <string>
#include <vector>

#include "plugin/settings/settings.h"
#include "tools/perseid/registry_owner.h"

namespace perseid {

/// Exports every capture whose process has ended, prints one line for each, and removes what was
/// exported whole and read back. What still records is left to its own process, and the command
/// that makes its timeline is printed; what fails stays.
/// Captures of several ranks of one job get a timeline of all of them too, or with `is_one_file`
/// only that one.
void deliver(const std::vector<AnnouncedCapture>& captures, const Settings& settings,
             bool is_one_file);

}  // namespace perseid
