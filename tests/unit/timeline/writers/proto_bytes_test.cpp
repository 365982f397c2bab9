// tests/unit/timeline/writers/proto_bytes_test.cpp: libprotobuf reads what was written by hand.
#include "timeline/writers/proto_bytes.h"

#include <gtest/gtest.h>

#include <limits>

#include "timeline/check/proto_reader.h"
#include "timeline/writers/perfetto_fields.h"
#include "writers/perfetto_subset.pb.h"

namespace perseid {
namespace {

using namespace perfetto;

constexpr uint64_t kEdges[] = {0,
                               1,
                               127,
                               128,
                               16'383,
                               16'384,
                               (uint64_t{1} << 28) - 1,
                               uint64_t{1} << 28,
                               uint64_t{1} << 56,
                               (uint64_t{1} << 63) - 1,
                               uint64_t{1} << 63,
                               std::numeric_limits<uint64_t>::max()};

TEST(ProtoBytes, NumbersOfEveryLengthArrive) {
  for (const uint64_t number : kEdges) {
    ProtoBytes bytes;
    bytes.reserve(8 * ProtoBytes::kMaxField);
    bytes.unsigned_field<annotation::kUnsigned>(number);
    bytes.signed_field<annotation::kSigned>(static_cast<int64_t>(number));
    bytes.unsigned_field<annotation::kPointer>(number);
    bytes.unsigned_field<annotation::kBool>(number & 1);
    bytes.double_field<annotation::kDouble>(static_cast<double>(number) + 0.5);
    subset::DebugAnnotation read;
    ASSERT_TRUE(read.ParseFromString(std::string(bytes.view())));
    EXPECT_EQ(read.uint_value(), number);
    EXPECT_EQ(read.int_value(), static_cast<int64_t>(number));
    EXPECT_EQ(read.pointer_value(), number);
    EXPECT_EQ(read.bool_value(), (number & 1) != 0);
    EXPECT_EQ(read.double_value(), static_cast<double>(number) + 0.5);
    EXPECT_EQ(read.unknown_fields().field_count(), 0);
    EXPECT_EQ(read.SerializeAsString().size(), bytes.view().size());  // nobody writes it shorter
  }
}

TEST(ProtoBytes, MessagesOfEveryLengthNest) {
  for (const size_t length : {0u, 1u, 100u, 120u, 124u, 126u, 127u, 128u, 200u, 16'000u, 16'383u,
                              16'384u, 70'000u, 3'000'000u}) {
    const std::string text(length, 'x');
    ProtoBytes bytes;
    bytes.reserve(length + 16 * ProtoBytes::kMaxField);
    for (int i = 0; i < 2; ++i) {
      const auto packet = bytes.begin_message<trace::kPacket>();
      bytes.unsigned_field<packet::kTimestamp>(7);
      const auto event = bytes.begin_message<packet::kTrackEvent>();
      bytes.fixed64_field<event::kFlowId>(kEdges[8]);
      const auto argument = bytes.begin_message<event::kAnnotation>();
      bytes.text_field<annotation::kText>(i == 0 ? text : "second");
      bytes.end_message(argument);
      bytes.unsigned_field<event::kType>(event::kBegin);
      bytes.end_message(event);
      bytes.unsigned_field<packet::kSequenceId>(9);
      bytes.end_message(packet);
    }
    subset::Trace read;
    ASSERT_TRUE(read.ParseFromString(std::string(bytes.view()))) << length;
    ASSERT_EQ(read.packet_size(), 2);
    EXPECT_EQ(read.packet(0).track_event().debug_annotations(0).string_value(), text);
    EXPECT_EQ(read.packet(1).track_event().debug_annotations(0).string_value(), "second");
    for (const subset::TracePacket& packet : read.packet()) {
      EXPECT_EQ(packet.timestamp(), 7u);
      EXPECT_EQ(packet.trusted_packet_sequence_id(), 9u);
      EXPECT_EQ(packet.track_event().flow_ids(0), kEdges[8]);
      EXPECT_EQ(packet.track_event().type(), 1);
    }
    EXPECT_EQ(read.SerializeAsString().size(), bytes.view().size());
  }
}

TEST(ProtoBytes, OurOwnReaderSeesTheSameAndStopsAtNonsense) {
  ProtoBytes bytes;
  bytes.reserve(8 * ProtoBytes::kMaxField);
  bytes.unsigned_field<8>(300);
  bytes.text_field<23>("name");
  bytes.fixed64_field<47>(5);
  ProtoReader reader(bytes.view());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.number(), 8u);
  EXPECT_EQ(reader.value(), 300u);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.bytes(), "name");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.value(), 5u);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.is_sound());

  for (size_t cut = 1; cut < bytes.view().size(); ++cut) {
    ProtoReader part(bytes.view().substr(0, cut));
    while (part.next()) {
    }
    EXPECT_LE(part.left(), cut);
  }
  ProtoReader nonsense("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_FALSE(nonsense.next());
  EXPECT_FALSE(nonsense.is_sound());
}

}  // namespace
}  // namespace perseid
