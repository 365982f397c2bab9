// bench/own_cost.h: what this process has cost so far.
#pragma once

namespace perseid::bench {

struct OwnCost {
  double user_s;
  double system_s;
  double peak_mib;  // the most memory it ever had resident
};
OwnCost own_cost();

}  // namespace perseid::bench
