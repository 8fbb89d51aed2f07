#pragma once

#include <array>
#include <cstdint>

namespace inkling {

// One fewer than the rows that the CPU's kernels take at once (native/kernels/row_products.h).
constexpr int32_t MAX_DRAFT = 7;

// Decoding of a model with more bytes of weights is bound by reading them, so that drafts cost little to verify.
constexpr uint64_t LARGE_WEIGHTS = 256ull << 20;

// Milliseconds of one machine with one model. Entry n of verify is one decode of n + 1 tokens, so verify[0] is a
// plain step.
struct decode_costs {
    std::array<double, MAX_DRAFT + 1> verify{};
    // One step of the MTP head, and what each token of catch-up adds to its first step.
    double                            draft_step = 0.0;
    double                            catch_up   = 0.0;
    // Where rejected drafts are taken back through a copy of the state: making the copy, and going back to it.
    double                            save       = 0.0;
    double                            restore    = 0.0;
    // Not measured yet: in plain steps instead of milliseconds, and no observation changes them.
    bool                              assumed    = false;

    bool known() const { return verify[0] > 0.0 && verify[MAX_DRAFT] > 0.0; }
    bool measured() const { return known() && !assumed; }
    // One decode of a generation. An unexpected time is mostly the speed of the machine, which other processes slow
    // down, so it changes the cost of every batch. A little of it is this batch's own cost. A single slow sample counts
    // little.
    void observe_verify(int32_t drafts, double milliseconds);
    // A later measurement; entries of 0 are not known. The cost of batches relative to one token becomes the mean of
    // both measurements, because the machine may have been busy at either time. The cost of one token stays as
    // observed.
    void remeasure(const decode_costs & now);
    void observe_draft(double milliseconds);
    // If a shorter batch was measured slower than a longer one, another process was in the way. This corrects it;
    // nothing else would, because a length that looks too expensive is never chosen.
    void bound_by_longer();
    // Fills the entries that were not measured from those around them. Precondition: the first and the last were
    // measured.
    void interpolate();
};

// Pure. What a CPU takes before anything is measured: with a large model it gains by one draft at once, and by more
// where they are sure. Nothing is assumed of a small one.
decode_costs assumed_costs(uint64_t weights_bytes);

enum class draft_source { none, mtp, lookup, old_suggestion, proposal };

// Those that are chosen by what they promise. A proposal is always offered.
constexpr int32_t DRAFT_SOURCES = 4;

// Pure. How many rounds an answer still takes, at least 1. `said` tokens of it are there, `room` may follow, and
// answers had `typical` tokens lately.
double expect_rounds(double typical, int32_t said, int32_t room);

// How often drafts of one source were accepted, given that all before them were: by depth, and by how sure the source
// was. The MTP head is as sure as the margin between its first and second choice, lookup as the length of its match.
class acceptance_record {
  public:
    // 0 unsure to BUCKETS - 1 sure.
    static constexpr int32_t BUCKETS = 4;
    static int32_t           margin_bucket(float margin);
    static int32_t           match_bucket(int32_t tokens);

    // Probability that a draft at this depth (0 = first) is accepted, if all before it were. at_bucket only for the MTP
    // head and lookup.
    double at_depth(draft_source source, int32_t depth) const;
    double at_bucket(draft_source source, int32_t depth, int32_t bucket) const;
    // The first `accepted` of `offered` drafts were accepted or, if they were not verified, would have been. buckets
    // has one for each draft; null for a source without buckets.
    void   observe(draft_source source, int32_t offered, int32_t accepted, const int32_t * buckets);

  private:
    struct rate {
        double value;
        double weight;
        void   observe(bool accepted);
    };

    using bucket_rates = std::array<std::array<rate, BUCKETS>, 2>; // [first, later]

    std::array<std::array<rate, MAX_DRAFT>, DRAFT_SOURCES> depth_   = initial();
    std::array<bucket_rates, DRAFT_SOURCES>                buckets_ = initial_buckets();

    static std::array<std::array<rate, MAX_DRAFT>, DRAFT_SOURCES> initial();
    static std::array<bucket_rates, DRAFT_SOURCES>                initial_buckets();
};

// What bounds a draft here and now.
struct draft_bounds {
    bool    recurrent  = false;
    int32_t snapshots  = 0;             // tokens that the backend can take back of recurrent state
    int32_t exact_rows = 0;             // largest batch that computes what single tokens would; 0 = not known
    int32_t rows       = MAX_DRAFT + 1; // most tokens of one decode that give their logits
    int32_t room       = MAX_DRAFT;     // tokens that may still follow the one already chosen
    // Each draft is compared with the model's own choice, and must not change it.
    bool    verified   = true;

    // Whether rejected drafts are taken back through a copy of the state, made beforehand; the accepted ones are then
    // evaluated again. Attention is trimmed anywhere, and unverified drafts are not rejected.
    bool    by_copy() const { return verified && recurrent && snapshots == 0; }
    // The longest draft that any source may make; 0 or more.
    int32_t longest() const;
};

struct draft_limits {
    int32_t mtp            = 0;     // most drafts that the MTP head may make now; 0 without a head
    int32_t lookup         = 0;     // drafts at hand from the surrounding text
    int32_t old_suggestion = 0;     // drafts at hand from the last suggestion
    int32_t catch_up       = 0;     // tokens that the MTP head has not seen yet
    bool    by_copy        = false; // as in draft_bounds
    double  rounds_left    = 1.0;   // rounds that share the cost of catching up; 1 or more
    int32_t lookup_bucket  = 0;     // how sure those from the surrounding text are
};

struct draft_choice {
    draft_source source     = draft_source::none;
    int32_t      length     = 0;
    // Expected tokens per millisecond of this round and of a plain step.
    double       rate       = 0.0;
    double       plain_rate = 0.0;
};

// Pure. The source and length with the highest expected tokens per millisecond, plain decoding included. A draft must
// promise `margin` (1.05 = 5 %) more than plain decoding, so that noise in the measurements costs nothing.
draft_choice choose_draft(const decode_costs & costs, const acceptance_record & record, const draft_limits & limits,
                          double margin = 1.05);

// One more MTP draft, after `drafted` of them.
struct next_draft {
    int32_t drafted = 0;
    double  chance  = 1.0;   // that all before it are accepted
    double  likely  = 0.0;   // that it is, if they are
    bool    made    = false; // only verifying it costs time
    bool    by_copy = false; // as in draft_bounds
};

// Pure. Whether it gives more than `rate` tokens per millisecond, the rate of the round without it.
bool worth_another_draft(const decode_costs & costs, const next_draft & next, double rate);

// Pure. Whether MTP drafts would pay if all of them were accepted. If not, a trial tells nothing.
bool perfect_drafts_pay(const decode_costs & costs, const draft_limits & limits, double margin = 1.05);

} // namespace inkling
