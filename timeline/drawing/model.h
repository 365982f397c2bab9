// timeline/drawing/model.h: everything a decoder builds the timeline with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/string_table.h"
#include "capture/timebase.h"
#include "timeline/drawing/dependency_arrows.h"
#include "timeline/drawing/flows.h"
#include "timeline/drawing/messages.h"
#include "timeline/drawing/threads.h"
#include "timeline/drawing/tracks.h"
#include "timeline/model/id_table.h"
#include "timeline/model/names.h"
#include "timeline/model/rows_builder.h"
#include "timeline/model/tasks.h"
#include "timeline/model/topology.h"
#include "timeline/model/worker_states.h"
#include "timeline/symbols/symbols.h"

namespace perseid {

/// Shared by all decoders of one walk over a capture. Time only goes forward in it.
struct Model {
  Model(TraceSink& to, StringTable& texts, Timebase& clock, uint32_t pid, std::string main_name,
        std::string_view topology_text, Symbols& code, uint64_t first_flow,
        uint64_t dependency_arrows)
      : sink(to),
        strings(texts),
        timebase(clock),
        topology(topology_text),
        symbols(code),
        tracks(to, pid),
        threads(tracks, to, topology, std::move(main_name)),
        flows(first_flow),
        rows(names),
        tasks(rows),
        worker_states(rows),
        arrows(rows, flows, dependency_arrows) {}

  /// A row of a runtime's or of the program's own, without a thread.
  Lane add_row(std::string name, TrackGroup group, uint32_t order);
  /// A row below those that the group has already.
  Lane add_row(std::string name, TrackGroup group) {
    return add_row(std::move(name), group, tracks.next_order(group));
  }
  /// Adds a sample; one track per name.
  void count(uint32_t name_id, int64_t at_ns, double value);

  TraceSink& sink;
  StringTable& strings;
  Timebase& timebase;
  Topology topology;
  Symbols& symbols;
  Tracks tracks;
  Threads threads;
  Flows flows;
  Messages messages;
  // What happened, apart from how it is drawn.
  NameIds names;
  RowsBuilder rows;
  Tasks tasks;
  WorkerStates worker_states;
  DependencyArrows arrows;
  RunFacts notes;            // what decoders add to the facts of the run
  uint64_t orphan_ends = 0;  // ends whose begin is missing

 private:
  IdTable<TrackId> counters_;
};

}  // namespace perseid
