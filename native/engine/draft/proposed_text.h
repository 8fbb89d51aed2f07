#pragma once

#include "engine/base/tokens.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace inkling {

// Follows an answer that is expected to say a known text with some changes, such as a rewritten region, and tells what
// would come next. After a departure it waits until the answer meets the text again. Pure; each step is linear in the
// text.
class proposed_text {
  public:
    // So many equal tokens in a row, after a departure, are the text again.
    static constexpr int32_t MEETING = 3;

    explicit proposed_text(std::vector<token_id> tokens = {}) : tokens_(std::move(tokens)) {}

    // Reads what was said since the last call. Precondition: `said` begins with what it was then.
    void                  follow(const std::vector<token_id> & said);
    // At most `most` tokens that come next. Behind a meeting at first FIRST_DRAFT, then twice as many each time that
    // all of them were said: a meeting may be an accident.
    std::vector<token_id> next(int32_t most) const;

    bool empty() const { return tokens_.empty(); }

  private:
    static constexpr int32_t FIRST_DRAFT = 8;

    void depart(token_id token);
    void look_for_meeting(token_id token);

    std::vector<token_id> tokens_;
    int32_t               said_     = 0;
    // The token that comes next; while departed, the first that was not said.
    int32_t               position_ = 0;
    bool                  departed_ = false;
    // While departed: entry n is how many tokens up to tokens_[n] equal the last ones that were said.
    std::vector<int32_t>  equal_;
    // The token at which the present stretch began, and whether it began with a meeting.
    int32_t               stretch_ = 0;
    bool                  met_     = false;
};

} // namespace inkling
