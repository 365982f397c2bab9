// tools/perseid/nothing_recorded.h: what a run left out of its timelines, and why.
#pragma once

#include <string>
#include <vector>

#include "tools/perseid/child.h"
#include "tools/perseid/registry_owner.h"

namespace perseid {

/// A sentence for the user when there is no capture at all; empty if the reason was printed before.
/// `program` is the word that was given to run.
std::string why_nothing_recorded(const std::string& program, const std::vector<Gap>& gaps,
                                 const ChildEnd& end);

/// What happened and is in none of the captures: sentences, the same one once, at most two.
std::vector<std::string> left_out(const std::vector<Gap>& gaps);

}  // namespace perseid
