/* Every call of perseid.h, from C. Built in several ways; see CMakeLists.txt. */
#include <stdio.h>

#include "include/perseid.h"

int speaks_c_second(void);

int main(void) {
  struct perseid_arg args[6];
  args[0] = perseid_arg_int("int", -1);
  args[1] = perseid_arg_uint("uint", 1);
  args[2] = perseid_arg_double("double", 0.5);
  args[3] = perseid_arg_bool("bool", 1);
  args[4] = perseid_arg_pointer("pointer", &args);
  args[5] = perseid_arg_text("text", "words");
  perseid_phase("warm-up");
  perseid_begin_with("c range", args, 6);
  perseid_instant_with("c instant", args, 1);
  perseid_counter("c counter", 1.5);
  perseid_flow_out(7);
  perseid_flow_in(7);
  perseid_name_thread("c thread");
  const perseid_lane lane = perseid_lane_named("c lane");
  const perseid_lane_slice slice = perseid_lane_begin(lane, "c slice");
  perseid_lane_end(lane, slice);
  perseid_end_with(args, 2);
  perseid_phase(NULL);
  return speaks_c_second();
}
