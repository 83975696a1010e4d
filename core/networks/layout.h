// The sizes of a network, and where each of its weights lies in one flat array.
//
// One array makes the optimiser, the sums over shards, checkpoints and files simple: none of them
// needs to know what the weights are for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace turbotree::networks {

// Of a word's input; any of them may be 0 wide.
struct InputSizes {
  int words = 0, word_size = 0;        // rows and columns of the embeddings; row 0: unknown
  int surfaces = 0, surface_size = 0;  // hashed features of the form, summed
  int tags = 0, tag_size = 0;          // features of the tags, summed
  int lemmas = 0, lemma_size = 0;      // row 0: unknown
  int vectors = 0, vector_size = 0;    // pretrained, not trained; row 0: unknown
  int projected_size = 0;              // of the pretrained vectors

  int size() const { return word_size + surface_size + tag_size + lemma_size + projected_size; }
};

struct Sizes {
  InputSizes input;
  int layers = 2;
  int hidden = 200;  // per direction
  int arcs = 192;    // of the perceptrons before the arcs' scores; 0: there are no trees
  int labels = 0;    // how many relations there are
  int label_size = 64;
  std::vector<int> columns;  // how many labels each column of words has
  int column_size = 0;       // of the perceptron before them

  int layer_input(int layer) const { return layer == 0 ? input.size() : 2 * hidden; }
  int output() const { return layers == 0 ? input.size() : 2 * hidden; }
  int perceptrons() const { return 2 * arcs + 2 * label_size + column_size; }
  int column_labels() const { return std::accumulate(columns.begin(), columns.end(), 0); }
};

// Distances between head and modifier: how many are told apart.
inline constexpr int kDistances = 21;

// Of an arc from `head` to `modifier` (0: the root).
int distance_bucket(int head, int modifier);

// A matrix of weights in the flat array.
struct Block {
  std::string name;
  int rows = 0, columns = 0;
  std::size_t offset = 0;
  bool table = false;   // of embeddings: few rows get a gradient in one update
  float spread = 0.0f;  // at first: uniform between minus this and this

  std::size_t size() const { return static_cast<std::size_t>(rows) * columns; }
};

struct LstmBlocks {
  Block input, recurrent, bias;  // in x 4 hidden, hidden x 4 hidden, 4 hidden
};

struct Layout {
  explicit Layout(const Sizes& sizes);

  Sizes sizes;
  Block words, surfaces, tags, lemmas;
  Block projection;                    // vector_size x projected_size
  std::vector<LstmBlocks> lstm;        // forward and backward of each layer in turn
  Block perceptrons, perceptron_bias;  // for arcs' heads, modifiers, labels' ones, columns
  Block root_arc, root_label;          // stand for the root as a head
  Block arc, arc_bias, distance;       // modifier x head, head, bucket
  Block label, label_modifier, label_head, label_bias;  // size x (labels size), size x labels
  Block column, column_bias;                            // size x labels of all columns
  std::size_t total = 0;

  // All of them in the order of the array.
  std::vector<const Block*> blocks() const;
};

}  // namespace turbotree::networks
