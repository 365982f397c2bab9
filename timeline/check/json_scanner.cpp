// timeline/check/json_scanner.cpp: recursive descent over a sliding window of the file.
#include "timeline/check/json_scanner.h"

#include <fmt/format.h>

#include <cctype>

namespace perseid {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr int kNothing = -1;  // the end of the file

void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// The grammar of a number: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_number(std::string_view text) {
  const auto take_digits = [&text] {
    size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
    text.remove_prefix(digits);
    return digits;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool starts_with_zero = text.starts_with('0');
  const size_t whole = take_digits();
  if (whole == 0 || (starts_with_zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (take_digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (take_digits() == 0) return false;
  }
  return text.empty();
}

}  // namespace

bool JsonScanner::run() {
  block_.resize(kBlockBytes);
  skip_space();
  if (!scan_value(0)) return false;
  skip_space();
  return peek() == kNothing || fail("something behind the end");
}

bool JsonScanner::refill() {
  offset_ += end_;
  at_ = 0;
  end_ = file_->read_at(offset_, block_.data(), block_.size());
  return end_ > 0;
}

int JsonScanner::peek() {
  if (at_ == end_ && !refill()) return kNothing;
  return static_cast<unsigned char>(block_[at_]);
}

int JsonScanner::take() {
  const int byte = peek();
  if (byte != kNothing) ++at_;
  return byte;
}

void JsonScanner::skip_space() {
  for (int byte = peek(); byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
       byte = peek()) {
    ++at_;
  }
}

bool JsonScanner::fail(std::string_view what) {
  if (problem_.empty()) {
    problem_ = peek() == kNothing ? fmt::format("it ends too early, at byte {}", offset_ + at_)
                                  : fmt::format("{} at byte {}", what, offset_ + at_);
  }
  return false;
}

bool JsonScanner::scan_value(size_t depth) {
  if (depth > kMaxDepth) return fail("nesting too deep");
  switch (peek()) {
    case '{':
    case '[':
      return scan_container(peek() == '[', depth);
    case '"':
      if (!scan_text()) return false;
      visitor_->text(text_);
      return true;
    case 't':
    case 'f':
    case 'n':
      return scan_word();
    default:
      return scan_number();
  }
}

bool JsonScanner::scan_container(bool is_array, size_t depth) {
  const char close = is_array ? ']' : '}';
  take();
  visitor_->begin(is_array);
  skip_space();
  if (peek() != close) {
    for (;;) {
      skip_space();
      if (!is_array) {
        if (peek() != '"') return fail("no key");
        if (!scan_text()) return false;
        visitor_->key(text_);
        skip_space();
        if (peek() != ':') return fail("no colon");
        take();
        skip_space();
      }
      if (!scan_value(depth + 1)) return false;
      skip_space();
      if (peek() != ',') break;
      take();
    }
    if (peek() != close) return fail(is_array ? "no comma or ]" : "no comma or }");
  }
  take();
  visitor_->end(is_array);
  return true;
}

bool JsonScanner::scan_text() {
  text_.clear();
  take();
  for (;;) {
    if (at_ == end_ && !refill()) return fail("");
    // Everything up to the next byte with a meaning goes in one piece.
    const size_t from = at_;
    while (at_ < end_ && block_[at_] != '"' && block_[at_] != '\\' &&
           static_cast<unsigned char>(block_[at_]) >= 0x20) {
      ++at_;
    }
    text_.append(block_.data() + from, at_ - from);
    if (text_.size() > kMaxText) return fail("a text that is too long");
    if (at_ == end_) continue;
    if (block_[at_] == '"') {
      take();
      return true;
    }
    if (block_[at_] != '\\') return fail("a control character in a text");
    if (!scan_escape()) return false;
  }
}

bool JsonScanner::scan_escape() {
  take();
  const int what = peek();
  const std::string_view letters = "\"\\/bfnrt";
  const std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (what == 'u') {
    take();
    unsigned code = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = peek();
      if (digit == kNothing || std::isxdigit(digit) == 0) return fail("a bad \\u escape");
      take();
      const int value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
      code = code * 16 + static_cast<unsigned>(value);
    }
    if (code >= 0xd800 && code < 0xe000)
      return fail("an escaped surrogate, which Perfetto refuses");
    append_utf8(text_, code);
    return true;
  }
  const size_t index = what == kNothing ? letters.npos : letters.find(static_cast<char>(what));
  if (index == letters.npos) return fail("an unknown escape");
  text_ += meanings[index];
  take();
  return true;
}

bool JsonScanner::scan_number() {
  text_.clear();
  for (int byte = peek(); byte != kNothing && (std::isdigit(byte) != 0 || byte == '-' ||
                                               byte == '+' || byte == '.' || (byte | 0x20) == 'e');
       byte = peek()) {
    if (text_.size() > 400) return fail("a number that is too long");
    text_ += static_cast<char>(take());
  }
  if (text_.empty()) return fail("no value");
  if (!is_number(text_)) return fail("a bad number");
  visitor_->number(text_);
  return true;
}

bool JsonScanner::scan_word() {
  text_.clear();
  while (peek() != kNothing && std::isalpha(peek()) != 0 && text_.size() < 8) {
    text_ += static_cast<char>(take());
  }
  if (text_ != "true" && text_ != "false" && text_ != "null") return fail("an unknown word");
  visitor_->word(text_);
  return true;
}

}  // namespace perseid
