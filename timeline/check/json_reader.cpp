// timeline/check/json_reader.cpp: RapidJSON's events over a sliding window of the file.
#include "timeline/check/json_reader.h"

#include <fmt/format.h>
#include <rapidjson/reader.h>

#include <cstdint>
#include <vector>

namespace perseid {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr size_t kMaxDepth = 64;
/// Between two events of the reader, which keeps a text in memory as a whole.
constexpr uint64_t kMaxTextBytes = uint64_t{64} << 20;

/// What RapidJSON calls a stream. It ends with '\0', as it does for RapidJSON; is_at_end()
/// distinguishes the end from such a byte in the file.
class FileStream {
 public:
  using Ch = char;

  explicit FileStream(const File& file) : file_(&file), block_(kBlockBytes) { refill(); }

  Ch Peek() const { return at_ < end_ ? block_[at_] : '\0'; }
  Ch Take() {
    if (at_ == end_) return '\0';
    const Ch byte = block_[at_++];
    if (at_ == end_) refill();
    return byte;
  }
  size_t Tell() const { return offset_ + at_; }

  // Only a reader that writes into its input calls these.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  size_t PutEnd(Ch*) { return 0; }

  bool is_at_end() const { return at_ == end_ && !is_text_too_long_; }
  bool is_text_too_long() const { return is_text_too_long_; }
  void note_event() { latest_event_ = Tell(); }

 private:
  void refill() {
    offset_ += end_;
    at_ = end_ = 0;
    is_text_too_long_ = offset_ - latest_event_ > kMaxTextBytes;
    if (!is_text_too_long_) end_ = file_->read_at(offset_, block_.data(), block_.size());
  }

  const File* file_;
  std::vector<Ch> block_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;  // of block_[0] in the file
  uint64_t latest_event_ = 0;
  bool is_text_too_long_ = false;
};

/// What RapidJSON calls a handler: false ends the reading.
class Events {
 public:
  Events(FileStream& stream, JsonVisitor& visitor) : stream_(&stream), visitor_(&visitor) {}

  bool StartObject() { return begin(false); }
  bool StartArray() { return begin(true); }
  bool EndObject(rapidjson::SizeType) { return end(false); }
  bool EndArray(rapidjson::SizeType) { return end(true); }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    visitor_->key({text, length});
    return go_on();
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    visitor_->text({text, length});
    return go_on();
  }
  bool RawNumber(const char* digits, rapidjson::SizeType length, bool) {
    visitor_->number({digits, length});
    return go_on();
  }
  bool Null() { return word("null"); }
  bool Bool(bool value) { return word(value ? "true" : "false"); }
  // Numbers come as they are written.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool begin(bool is_array) {
    visitor_->begin(is_array);
    return ++depth_ <= kMaxDepth && go_on();
  }
  bool end(bool is_array) {
    visitor_->end(is_array);
    --depth_;
    return go_on();
  }
  bool word(std::string_view literal) {
    visitor_->word(literal);
    return go_on();
  }
  bool go_on() {
    stream_->note_event();
    return true;
  }

  FileStream* stream_;
  JsonVisitor* visitor_;
  size_t depth_ = 0;
};

const char* in_words(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "data after the end of the document";
    case rapidjson::kParseErrorDocumentEmpty:
    case rapidjson::kParseErrorValueInvalid:
      return "no value";
    case rapidjson::kParseErrorObjectMissName:
      return "no key";
    case rapidjson::kParseErrorObjectMissColon:
      return "no colon";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "no comma or }";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "no comma or ]";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "a bad \\u escape";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "half of a surrogate pair";
    case rapidjson::kParseErrorStringEscapeInvalid:
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "a control character or an unknown escape in a text";
    case rapidjson::kParseErrorStringInvalidEncoding:
      return "a text that is not UTF-8";
    case rapidjson::kParseErrorNumberTooBig:
    case rapidjson::kParseErrorNumberMissFraction:
    case rapidjson::kParseErrorNumberMissExponent:
      return "a bad number";
    case rapidjson::kParseErrorTermination:
      return "nesting too deep";
    default:
      return "no JSON";
  }
}

}  // namespace

Result<bool> read_json(const File& file, JsonVisitor& visitor) {
  FileStream stream(file);
  Events events(stream, visitor);
  rapidjson::Reader reader;
  // Iterative: the file's nesting must not become that of our stack.
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, events);
  if (stream.is_text_too_long()) {
    return Error{fmt::format("a text that is too long at byte {}", stream.Tell())};
  }
  if (result.IsError()) {
    if (stream.is_at_end())
      return Error{fmt::format("it ends too early, at byte {}", stream.Tell())};
    return Error{fmt::format("{} at byte {}", in_words(result.Code()), result.Offset())};
  }
  if (stream.is_at_end()) return true;
  return Error{fmt::format("{} at byte {}", in_words(rapidjson::kParseErrorDocumentRootNotSingular),
                           stream.Tell())};
}

}  // namespace perseid
