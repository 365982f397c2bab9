// timeline/drawing/release_chain.h: lets go of long chains of nodes that own each other.
#pragma once

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace perseid {

/// For the destructor of a node: releases its links, and what only they hold, one after the other.
/// The destructors alone would call each other, and a chain of a million tasks would overflow the
/// stack.
template <class Node>
void release_chain(std::vector<std::shared_ptr<Node>>& first,
                   std::vector<std::shared_ptr<Node>> Node::*links) {
  std::vector<std::shared_ptr<Node>> left = std::move(first);
  while (!left.empty()) {
    const std::shared_ptr<Node> node = std::move(left.back());
    left.pop_back();
    if (node.use_count() > 1) continue;
    std::vector<std::shared_ptr<Node>> more = std::move((*node).*links);
    left.insert(left.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
}

}  // namespace perseid
