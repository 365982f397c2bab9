// tests/stream/mpi/messages_test.cpp: records of MPI calls, and the arrows they make.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/events.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using namespace mpi;

constexpr uint64_t kWorld = 1;
constexpr uint32_t op(Operation operation) { return static_cast<uint32_t>(operation); }

/// The calls of one rank of two.
class RankStream {
 public:
  explicit RankStream(uint32_t rank) : thread_(capture_.stream(1, capture_.pid, "main")) {
    capture_.manifest["rank"] = std::to_string(rank);
    capture_.manifest["size"] = "2";
    capture_.manifest["machine"] = "a";
    capture_.mpi_rank = rank;
    capture_.mpi_size = 2;
    capture_.syncs = {{kStartMonoNs, 0, 0, 0, 0}};
    thread_.record(10, kind(kCommunicator), 2, {kWorld, halves(rank, 0), halves(0, 1)});
  }
  RankStream& begin(int64_t at_ns, Operation operation, uint32_t peer, uint32_t tag) {
    thread_.record(at_ns, kind(kBegin), op(operation), {kWorld, halves(peer, tag), 8});
    return *this;
  }
  RankStream& record(int64_t at_ns, Event event, Operation operation, const Words& words = {}) {
    thread_.record(at_ns, kind(event), op(operation), words);
    return *this;
  }
  Reading read() {
    capture_.write();
    return read_capture(capture_.path());
  }

 private:
  CaptureBuilder capture_;
  StreamBuilder& thread_;
};

/// The ids of arrows in the lines whose slice is called `name`, in order.
std::vector<std::string> arrows(const Reading& reading, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& line : reading.sink.lines) {
    const size_t arrow = std::max(line.rfind("->") + 1, line.rfind("<-") + 1);
    if (line.find(" " + name) == std::string::npos || arrow == 0) continue;
    found.push_back(line.substr(arrow + 1));
  }
  return found;
}

TEST(MpiMessages, BothEndsGiveAMessageTheSameArrow) {
  RankStream sender(0), receiver(1);
  for (int i = 0; i < 3; ++i) {
    sender.begin(100 + 100 * i, Operation::kMPI_Send, 1, 7);
    sender.record(150 + 100 * i, kEnd, Operation::kMPI_Send);
    receiver.begin(120 + 100 * i, Operation::kMPI_Recv, kAnySource, kAnyTag);
    receiver.record(180 + 100 * i, kEndReceive, Operation::kMPI_Recv, {halves(0, 7), 8});
  }
  const Reading sent = sender.read(), received = receiver.read();
  EXPECT_EQ(arrows(sent, "MPI_Send").size(), 3u);
  EXPECT_EQ(arrows(sent, "MPI_Send"), arrows(received, "received"));
  EXPECT_EQ(sent.sink.fact("mpi_messages_sent"), "3");
  EXPECT_EQ(received.sink.fact("mpi_messages_received"), "3");
}

TEST(MpiMessages, PostedReceivesAreMatchedInTheOrderOfPosting) {
  RankStream sender(0), receiver(1);
  sender.begin(100, Operation::kMPI_Send, 1, 7).record(110, kEnd, Operation::kMPI_Send);
  sender.begin(120, Operation::kMPI_Send, 1, 7).record(130, kEnd, Operation::kMPI_Send);
  receiver.begin(50, Operation::kMPI_Irecv, 0, 7)
      .record(60, kEndPost, Operation::kMPI_Irecv, {0xa});
  receiver.begin(70, Operation::kMPI_Irecv, 0, 7)
      .record(80, kEndPost, Operation::kMPI_Irecv, {0xb});
  receiver.record(140, kBegin, Operation::kMPI_Waitall, {0, halves(kProcNull, kAnyTag), 2});
  receiver.record(150, kDone, Operation::kMPI_Waitall, {0xb, halves(0, 7), 8});
  receiver.record(160, kDone, Operation::kMPI_Waitall, {0xa, halves(0, 7), 8});
  receiver.record(170, kEnd, Operation::kMPI_Waitall);
  std::vector<std::string> sent = arrows(sender.read(), "MPI_Send");
  std::ranges::reverse(sent);
  EXPECT_EQ(arrows(receiver.read(), "received"), sent);
}

TEST(MpiMessages, AReceiveThatOnlyMpiTestSawEndsWithMpi) {
  RankStream receiver(1);
  receiver.begin(50, Operation::kMPI_Irecv, 0, 7)
      .record(60, kEndPost, Operation::kMPI_Irecv, {0xa});
  receiver.record(200, kFinalizeBegin, Operation::kMPI_Send);
  const Reading reading = receiver.read();
  EXPECT_EQ(arrows(reading, "received").size(), 1u);
}

TEST(MpiMessages, APersistentRequestIsAMessageEachTimeItIsStarted) {
  RankStream sender(0), receiver(1);
  const Words plan_of_sender{kWorld, halves(1, 7), 8, 0xa};
  const Words plan_of_receiver{kWorld, halves(0, 7), 8, 0xb};
  const Words requests{0, halves(kProcNull, kAnyTag), 1};
  for (int i = 0; i < 2; ++i) {
    sender.record(100 + 100 * i, kBegin, Operation::kMPI_Start, requests);
    sender.record(110 + 100 * i, kStarted, Operation::kMPI_Send_init, plan_of_sender);
    sender.record(120 + 100 * i, kEnd, Operation::kMPI_Start);
    receiver.record(100 + 100 * i, kBegin, Operation::kMPI_Start, requests);
    receiver.record(110 + 100 * i, kStarted, Operation::kMPI_Recv_init, plan_of_receiver);
    receiver.record(120 + 100 * i, kEnd, Operation::kMPI_Start);
    receiver.record(130 + 100 * i, kBegin, Operation::kMPI_Wait, requests);
    receiver.record(140 + 100 * i, kDone, Operation::kMPI_Wait, {0xb, halves(0, 7), 8});
    receiver.record(150 + 100 * i, kEnd, Operation::kMPI_Wait);
  }
  const std::vector<std::string> sent = arrows(sender.read(), "MPI_Start");
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(arrows(receiver.read(), "received"), sent);
}

TEST(MpiMessages, AStartedReceiveIsFoundUnderTheHandleItGot) {
  RankStream receiver(1);
  receiver.record(100, kBegin, Operation::kMPI_Startall, {0, halves(kProcNull, kAnyTag), 1});
  receiver.record(110, kStarted, Operation::kMPI_Recv_init,
                  {kWorld, halves(kAnySource, kAnyTag), 8, 0xa});
  receiver.record(120, kMoved, Operation::kMPI_Startall, {0xa, 0xb});
  receiver.record(130, kEnd, Operation::kMPI_Startall);
  receiver.record(140, kBegin, Operation::kMPI_Wait, {0, halves(kProcNull, kAnyTag), 1});
  receiver.record(150, kDone, Operation::kMPI_Wait, {0xb, halves(0, 7), 8});
  receiver.record(160, kEnd, Operation::kMPI_Wait);
  const Reading reading = receiver.read();
  EXPECT_EQ(arrows(reading, "received").size(), 1u);
  EXPECT_EQ(reading.sink.fact("mpi_messages_received"), "1");
}

TEST(MpiMessages, MessagesGetTheirTurnWhereAProbeMatchesThem) {
  RankStream sender(0), receiver(1);
  sender.begin(100, Operation::kMPI_Send, 1, 7).record(110, kEnd, Operation::kMPI_Send);
  sender.begin(120, Operation::kMPI_Send, 1, 7).record(130, kEnd, Operation::kMPI_Send);
  receiver.record(140, kMatched, Operation::kMPI_Send, {0xa, kWorld, halves(0, 7)});
  receiver.record(150, kMatched, Operation::kMPI_Send, {0xb, kWorld, halves(0, 7)});
  for (const uint64_t message : {uint64_t{0xb}, uint64_t{0xa}}) {
    const int64_t at_ns = message == 0xb ? 160 : 180;
    receiver.record(at_ns, kBegin, Operation::kMPI_Mrecv,
                    {0, halves(kProcNull, kAnyTag), 8, message});
    receiver.record(at_ns + 10, kEndReceive, Operation::kMPI_Mrecv, {halves(0, 7), 8});
  }
  std::vector<std::string> sent = arrows(sender.read(), "MPI_Send");
  ASSERT_EQ(sent.size(), 2u);
  std::ranges::reverse(sent);
  EXPECT_EQ(arrows(receiver.read(), "received"), sent);
}

TEST(MpiMessages, NobodySendsNothing) {
  RankStream rank(0);
  rank.begin(100, Operation::kMPI_Send, kProcNull, 7).record(110, kEnd, Operation::kMPI_Send);
  rank.begin(120, Operation::kMPI_Recv, kProcNull, 7);
  rank.record(130, kEndReceive, Operation::kMPI_Recv, {halves(kProcNull, kAnyTag), 0});
  const Reading reading = rank.read();
  EXPECT_TRUE(arrows(reading, "MPI_Send").empty());
  EXPECT_TRUE(arrows(reading, "received").empty());
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(MpiMessages, ACallWithoutItsEndIsShownAsUnfinished) {
  RankStream rank(0);
  rank.begin(100, Operation::kMPI_Recv, 1, 7);
  const Reading reading = rank.read();
  const bool is_told = std::ranges::any_of(reading.sink.lines, [](const std::string& line) {
    return line.find("MPI_Recv") != std::string::npos &&
           line.find("unfinished") != std::string::npos;
  });
  EXPECT_TRUE(is_told);
}

TEST(MpiMessages, OddRecordsDoNoHarm) {
  RankStream rank(0);
  rank.record(100, kBegin, Operation::kCount, {1, 2, 3});
  rank.record(110, kBegin, Operation::kMPI_Send, {});
  rank.record(120, kEnd, Operation::kMPI_Recv);
  rank.record(130, kDone, Operation::kMPI_Wait, {});
  rank.record(140, kFinalizeEnd, Operation::kMPI_Send);
  rank.record(150, kStarted, Operation::kCount, {1, 2, 3, 4});
  rank.record(160, kStarted, Operation::kMPI_Send_init, {});
  rank.record(170, kMoved, Operation::kMPI_Start, {});
  rank.record(180, kMatched, Operation::kMPI_Send, {});
  rank.record(190, kBegin, Operation::kMPI_Mrecv, {0, 0, 0});
  const Reading reading = rank.read();
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

}  // namespace
}  // namespace perseid::test
