#pragma once

#include "engine/base/tokens.h"
#include "engine/text/sampler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inkling {

// A token that was chosen by argmax, and the bytes that it then had to begin with or lie within.
struct completion_token {
    choice      chosen;
    std::string forced;
};

// What the model said after the first start() tokens of a sequence. A user who types along it needs no evaluation: the
// same tokens would be chosen again. The last one may not be evaluated yet.
class last_completion {
  public:
    // Whether one was begun and still holds.
    bool                                  known() const { return known_; }
    int32_t                               start() const { return start_; }
    const std::vector<completion_token> & tokens() const { return tokens_; }
    // Whether the model chose to end after the last of the tokens.
    bool                                  ended() const { return ended_; }

    // How many of the tokens `wanted` ends behind; nothing if `wanted` does not follow this completion. `held` are the
    // tokens of the sequence, and `path` is sequence::path_behind for `wanted`: on another one the model might say
    // something else.
    std::optional<size_t> place_of(const std::vector<token_id> & wanted, const std::vector<token_id> & held,
                                   uint64_t path) const;

    void clear() { *this = {}; }
    // path: sequence::path_behind for the first `start` tokens.
    void begin(int32_t start, uint64_t path);
    // Adds the token chosen after all others, if a completion was begun.
    void record(const choice & chosen, const std::string & forced);
    // The model chose to end, if a completion was begun.
    void record_end() { ended_ = known_; }
    // Forgets what follows the first `count` tokens.
    void keep(size_t count);

  private:
    int32_t                       start_ = 0;
    uint64_t                      path_  = 0;
    std::vector<completion_token> tokens_;
    bool                          ended_ = false;
    bool                          known_ = false;
};

} // namespace inkling
