// timeline/check/timeline_report.cpp: finds the reports inside timelines.
#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/check/json_reader.h"
#include "timeline/check/plain_file.h"
#include "timeline/check/proto_reader.h"
#include "timeline/check/report_reader.h"
#include "timeline/check/timeline_check.h"
#include "timeline/report/report_json.h"
#include "timeline/writers/perfetto_fields.h"

namespace perseid {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr size_t kMaxReportBytes = size_t{64} << 20;
/// Where the report of a timeline of ours begins, counted from its end.
constexpr size_t kTailBytes = size_t{1} << 20;

/// Prints one member of the outermost object again, as it comes.
class MemberPrinter final : public JsonVisitor {
 public:
  void begin(bool is_array) override {
    if (is_inside_) is_array ? writer_.StartArray() : writer_.StartObject();
    ++depth_;
  }
  void end(bool is_array) override {
    --depth_;
    if (!is_inside_) return;
    is_array ? writer_.EndArray() : writer_.EndObject();
    if (depth_ == 1) is_inside_ = false;
  }
  void key(std::string_view name) override {
    if (depth_ == 1) {
      is_inside_ = name == kReportMember && printed_.GetSize() == 0;
    } else if (is_inside_ && has_room()) {
      writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    }
  }
  void text(std::string_view value) override {
    if (is_inside_ && has_room())
      writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void number(std::string_view digits) override {
    if (is_inside_ && has_room())
      writer_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
  }
  void word(std::string_view literal) override {
    if (is_inside_ && has_room())
      writer_.RawValue(literal.data(), literal.size(), rapidjson::kNullType);
  }

  std::string_view printed() const { return {printed_.GetString(), printed_.GetSize()}; }
  bool is_too_long() const { return printed_.GetSize() > kMaxReportBytes; }

 private:
  bool has_room() const { return !is_too_long(); }

  rapidjson::StringBuffer printed_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{printed_};
  size_t depth_ = 0;
  bool is_inside_ = false;
};

/// Our own writers put the report behind everything else, on a line of its own: no need to read the
/// rest, which may have gigabytes. "": it is not there.
std::string report_at_end(const File& file) {
  const std::string start = fmt::format("\n\"{}\":", kReportMember);
  for (size_t wanted = kTailBytes; wanted <= kMaxReportBytes; wanted *= 8) {
    const size_t bytes = std::min<size_t>(wanted, file.size());
    std::string tail(bytes, '\0');
    tail.resize(file.read_at(file.size() - bytes, tail.data(), bytes));
    const size_t at = tail.rfind(start);
    const size_t end = tail.rfind('}');
    if (at != std::string::npos && end != std::string::npos && at + start.size() < end) {
      return tail.substr(at + start.size(), end - at - start.size());
    }
    if (bytes == file.size()) break;
  }
  return {};
}

Error has_none(const std::string& path) {
  return Error{fmt::format(
      "{} has no report in it: perseid wrote none into it, or something else wrote it; export its "
      "capture again",
      path)};
}

Result<ReportData> in_json(const File& file, const std::string& path) {
  if (const std::string found = report_at_end(file); !found.empty()) {
    if (Result<ReportData> report = read_report_json(found)) return report;
  }
  MemberPrinter member;
  if (const Result<bool> whole = read_json(file, member); !whole) {
    return Error{fmt::format("{} is not a whole JSON file: {}", path, whole.error())};
  }
  if (member.is_too_long()) return Error{fmt::format("{}: its report is too long", path)};
  if (member.printed().empty()) return has_none(path);
  Result<ReportData> report = read_report_json(member.printed());
  if (!report) return Error{fmt::format("{}: {}", path, report.error())};
  return report;
}

/// Calls `use` for each packet. False if something is no packet.
template <class Use>
bool for_each_packet(const File& file, Use&& use) {
  std::string buffer;
  uint64_t offset = 0;
  size_t wanted = kBlockBytes;
  for (;;) {
    const size_t kept = buffer.size();
    buffer.resize(kept + wanted);
    const size_t got = file.read_at(offset, buffer.data() + kept, wanted);
    offset += got;
    buffer.resize(kept + got);
    size_t used = 0;
    for (ProtoReader packets(buffer);
         packets.next() && packets.number() == perfetto::trace::kPacket;) {
      use(packets.bytes());
      used = buffer.size() - packets.left();
    }
    buffer.erase(0, used);
    if (got == 0) return buffer.empty();
    wanted = used == 0 ? 2 * wanted : kBlockBytes;
    if (wanted > 4 * kMaxReportBytes) return false;
  }
}

Result<ReportData> in_packets(const File& file, const std::string& path) {
  ReportData sum;
  sum.ranks = 0;
  std::string problem;
  for_each_packet(file, [&](std::string_view packet) {
    for (ProtoReader field(packet); field.next();) {
      if (field.number() != perfetto::packet::kReport || field.bytes().empty()) continue;
      const Result<ReportData> report = field.bytes().size() <= kMaxReportBytes
                                            ? read_report_json(field.bytes())
                                            : Error{"the report is too long"};
      if (report && !can_add(sum, *report)) {
        problem = "its reports are too large to be added";
      } else if (report) {
        add(sum, *report);
      } else {
        problem = report.error();
      }
    }
  });
  if (!problem.empty()) return Error{fmt::format("{}: {}", path, problem)};
  if (sum.ranks == 0) return has_none(path);
  return sum;
}

}  // namespace

Result<ReportData> report_in_timeline(const std::string& path) {
  const Result<File> file = open_plain(path);
  if (!file) return Error{file.error()};
  return has_packets(*file) ? in_packets(*file, path) : in_json(*file, path);
}

}  // namespace perseid
