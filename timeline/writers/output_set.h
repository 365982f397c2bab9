// timeline/writers/output_set.h: several files from one walk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/result.h"
#include "timeline/drawing/sink.h"
#include "timeline/writers/gzip_stream.h"
#include "timeline/writers/output_file.h"
#include "timeline/writers/writer.h"

namespace perseid {

class OutputSet final : public TraceSink {
 public:
  /// No file is there before all can be opened.
  static Result<std::unique_ptr<OutputSet>> create(const std::vector<ChosenWriter>& chosen,
                                                   bool may_start_threads);

  void process(const Process& process) override;
  void track(const Track& track) override;
  void slice(const Slice& slice) override;
  void counter(TrackId track, int64_t at_ns, double value) override;
  void finish(const RunFacts& facts) override;
  /// As JSON, for all files; before finish().
  void report(std::string_view json);

  /// Of the largest so far, before compression.
  uint64_t bytes() const noexcept;
  size_t size() const noexcept { return outputs_.size(); }
  uint64_t file_bytes(size_t index) const noexcept { return outputs_[index]->file.bytes(); }
  /// Gives the file its name and returns it.
  Result<std::string> commit(size_t index) { return outputs_[index]->file.commit(); }

 private:
  struct Output {
    explicit Output(OutputFile opened) : file(std::move(opened)) {}

    OutputFile file;
    std::unique_ptr<GzipStream> compressor;  // null: the bytes go straight into the file
    std::unique_ptr<TimelineWriter> writer;
  };
  OutputSet() = default;

  std::vector<std::unique_ptr<Output>> outputs_;
};

}  // namespace perseid
