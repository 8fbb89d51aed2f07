#pragma once

#include <array>
#include <cstdint>

namespace inkling {

constexpr int32_t MAX_DRAFT = 8;

// Measured milliseconds of one machine with one model. Entry n of verify is one target decode of n + 1 tokens, so
// verify[0] is a plain step.
struct decode_costs {
    std::array<double, MAX_DRAFT + 1> verify{};
    // One step of the MTP head, and what each token of catch-up adds to its first step.
    double                            draft_step = 0.0;
    double                            catch_up   = 0.0;

    bool measured() const { return verify[0] > 0.0 && verify[MAX_DRAFT] > 0.0; }
    // Exponential moving average; a single slow sample (another process had the core) counts for little.
    void observe_verify(int32_t drafts, double milliseconds);
    void observe_draft(double milliseconds);
};

enum class draft_source { none, mtp, lookup, old_suggestion };

constexpr int32_t DRAFT_SOURCES = 4;

// How often drafts of one source were accepted, by depth, given that all before were; and for MTP by the margin
// between its first and second choice.
class acceptance_record {
  public:
    // 0 narrow to MARGIN_BUCKETS - 1 wide.
    static constexpr int32_t MARGIN_BUCKETS = 4;
    static int32_t           margin_bucket(float margin);

    // Probability that a draft at this depth (0 = first) is accepted, if all before it were.
    double at_depth(draft_source source, int32_t depth) const;
    double at_margin(int32_t depth, int32_t bucket) const;
    // offered drafts, of which the first `accepted` were. buckets is null for sources without a margin.
    void   observe(draft_source source, int32_t offered, int32_t accepted, const int32_t * buckets);

  private:
    struct rate {
        double value;
        double weight;
        void   observe(bool accepted);
    };

    std::array<std::array<rate, MAX_DRAFT>, DRAFT_SOURCES> depth_  = initial();
    std::array<std::array<rate, MARGIN_BUCKETS>, 2>        margin_ = initial_margin(); // [first, later]

    static std::array<std::array<rate, MAX_DRAFT>, DRAFT_SOURCES> initial();
    static std::array<std::array<rate, MARGIN_BUCKETS>, 2>        initial_margin();
};

struct draft_limits {
    int32_t mtp            = 0; // most drafts that the MTP head may make now; 0 without a head
    int32_t lookup         = 0; // drafts at hand from the surrounding text
    int32_t old_suggestion = 0; // drafts at hand from the last suggestion
    int32_t catch_up       = 0; // tokens that the MTP head has not seen yet
};

struct draft_choice {
    draft_source source     = draft_source::none;
    int32_t      length     = 0;
    // Expected tokens per millisecond of this round and of a plain step.
    double       rate       = 0.0;
    double       plain_rate = 0.0;
};

// Pure. The source and length with the highest expected tokens per millisecond, plain decoding included; a draft must
// promise `margin` (1.05 = 5 %) more than plain, so that noise in the measurements does not cost anything.
draft_choice choose_draft(const decode_costs & costs, const acceptance_record & record, const draft_limits & limits,
                          double margin = 1.05);

// Pure. Whether one more MTP draft pays, after `drafted` drafts that are all accepted with probability `chance`, the
// next one with probability `next`.
bool worth_another_draft(const decode_costs & costs, int32_t drafted, double chance, double next);

} // namespace inkling
