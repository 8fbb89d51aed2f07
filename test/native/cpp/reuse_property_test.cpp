// The most important test: after any typing, deletion, acceptance, cancellation or jump, the answer equals that of a
// fresh engine. Sessions are random but seeded. A failure prints the shortest session that shows it.
#include "check.h"
#include "slots.h"
#include "tiny_models.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

using namespace inkling;
using inkling_test::eager_costs;
using inkling_test::fim_request;
using inkling_test::make_slot;
using inkling_test::run_on;
using inkling_test::scaled;
using inkling_test::slot_options;
using inkling_test::tiny;
using inkling_test::tiny_architectures;

namespace {

const std::vector<std::string> PREFIXES = {
    "import { readFileSync } from 'node:fs';\n\nexport function countLines(path: string): number {\n",
    "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n",
    "class Stack<T> {\n  private items: T[] = [];\n\n  push(item: T): void {\n    this.items.push(item);\n  }\n\n",
};
const std::vector<std::string> SUFFIXES = {"\n}\n", "\n\nprint(mean([1, 2, 3]))\n", "\n}\n\nexport default Stack;\n"};
// Lines between the anchor and the typed line.
const std::vector<std::string> SETTLED  = {"", "    if value > 1:\n        total -= 1\n", "  size(): number {\n"};
const std::vector<std::string> TYPED    = {"  return ", "    ", "pop(",  "const ", "x",       ".",
                                           " = ",       "\n",   "value", "(",      "\xC3\xA9"};

struct step {
    enum class kind { insert, remove, accept_word, accept_all, jump, cancel, calibrate } what;
    int argument = 0;
};

const char * name(step::kind what) {
    switch (what) {
        case step::kind::insert: return "insert";
        case step::kind::remove: return "delete";
        case step::kind::accept_word: return "acceptWord";
        case step::kind::accept_all: return "acceptAll";
        case step::kind::jump: return "jump";
        case step::kind::cancel: return "cancel";
        case step::kind::calibrate: return "calibrate";
    }
    return "";
}

std::string describe(const std::vector<step> & session) {
    std::ostringstream text;
    for (const step & item : session) {
        text << name(item.what) << "(" << item.argument << ") ";
    }
    return text.str();
}

std::vector<step> random_session(uint32_t seed, int length) {
    std::mt19937                       random(seed);
    std::uniform_int_distribution<int> percent(0, 99);
    std::vector<step>                  session;
    for (int i = 0; i < length; ++i) {
        const int roll = percent(random);
        const int what = percent(random);
        if (roll < 45) {
            session.push_back({step::kind::insert, what % static_cast<int>(TYPED.size())});
        } else if (roll < 60) {
            session.push_back({step::kind::remove, 1 + what % 5});
        } else if (roll < 72) {
            session.push_back({step::kind::accept_word, 0});
        } else if (roll < 82) {
            session.push_back({step::kind::accept_all, 0});
        } else if (roll < 90) {
            session.push_back({step::kind::jump, what % static_cast<int>(PREFIXES.size())});
        } else if (roll < 98) {
            session.push_back({step::kind::cancel, 1 + what % 3});
        } else {
            session.push_back({step::kind::calibrate, 0});
        }
    }
    return session;
}

generation_request request_at(size_t place, int32_t max_tokens, const std::string & middle) {
    auto request = fim_request(PREFIXES[place], SUFFIXES[place], max_tokens, middle);
    if (!SETTLED[place].empty()) {
        request.prompt.insert(request.prompt.end() - 1, SETTLED[place]);
        request.boundaries.push_back(static_cast<int32_t>(request.prompt.size()) - 1);
    }
    return request;
}

size_t last_character(const std::string & text) {
    size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) {
        --start;
    }
    return start;
}

// The answers of a fresh engine. Each question runs once, as these take most of the time.
class fresh_answers {
  public:
    explicit fresh_answers(const slot_options & options) : slot_(make_slot(options)) {}

    const generation_result & to(const generation_request & request, size_t place, const std::string & middle) {
        const auto [found, is_new] = known_.try_emplace({place, middle});
        if (is_new) {
            slot_->forget();
            found->second = run_on(*slot_, request);
        }
        return found->second;
    }

  private:
    std::unique_ptr<slot>                                       slot_;
    std::map<std::pair<size_t, std::string>, generation_result> known_;
};

struct totals {
    int64_t evaluated                = 0;
    int64_t fresh                    = 0;
    int     requests                 = 0;
    int     drafted                  = 0;
    int     accepted                 = 0;
    float   largest_logit_difference = 0.0f;
};

// Empty if every answer of the session equals the fresh one.
std::string play(slot & subject, fresh_answers & fresh, const std::vector<step> & session, bool speculate,
                 totals & sums) {
    subject.forget();
    size_t      place  = 0;
    std::string middle = "  ";
    std::string shown;
    for (size_t i = 0; i < session.size(); ++i) {
        const step & item = session[i];
        switch (item.what) {
            case step::kind::insert: middle += TYPED[static_cast<size_t>(item.argument)]; break;
            case step::kind::remove:
                for (int n = 0; n < item.argument && middle.size() > 1; ++n) {
                    middle.erase(last_character(middle));
                }
                break;
            case step::kind::accept_word: middle += shown.substr(0, shown.find(' ', 1)); break;
            case step::kind::accept_all: middle += shown; break;
            case step::kind::jump:
                place  = static_cast<size_t>(item.argument);
                middle = "  ";
                break;
            case step::kind::cancel: {
                // Cuts the generation off after some pieces of text, as a keystroke would.
                abort_flag                                     abort;
                int                                            pieces  = 0;
                const std::function<void(const std::string &)> on_text = [&](const std::string &) {
                    if (++pieces >= item.argument) {
                        abort.set();
                    }
                };
                const auto request = request_at(place, 24, middle + "c");
                generation_run(subject, request, abort, on_text).execute();
                break;
            }
            case step::kind::calibrate:
                subject.statistics().set_costs(decode_costs());
                subject.calibrate({});
                break;
        }
        if (middle.size() > 400) {
            middle = middle.substr(0, 1);
        }
        auto request                       = request_at(place, 12, middle);
        request.speculation                = speculation_mode::off;
        const generation_result & expected = fresh.to(request, place, middle);
        if (speculate) {
            // The old suggestion is right, right at first, or wrong.
            subject.statistics().set_costs(eager_costs());
            request.draft = expected.text.substr(0, expected.text.size() * (2 - i % 3) / 2) + (i % 3 > 0 ? "+z" : "");
            request.speculation = speculation_mode::automatic;
        }
        const auto result = run_on(subject, request);
        shown             = result.text;
        sums.evaluated += result.metrics.evaluated_tokens;
        sums.fresh += expected.metrics.evaluated_tokens;
        sums.drafted += result.metrics.drafted_tokens;
        sums.accepted += result.metrics.accepted_draft_tokens;
        ++sums.requests;
        for (size_t n = 0; inkling_test::bit_exact() &&
                           n < std::min(result.log_probabilities.size(), expected.log_probabilities.size());
             ++n) {
            sums.largest_logit_difference = std::max(
                sums.largest_logit_difference, std::abs(result.log_probabilities[n] - expected.log_probabilities[n]));
        }
        if (const std::string wrong = inkling_test::difference(result, expected); !wrong.empty()) {
            size_t at = 0;
            while (at < std::min(result.tokens.size(), expected.tokens.size()) &&
                   result.tokens[at] == expected.tokens[at]) {
                ++at;
            }
            std::ostringstream odds;
            for (size_t n = 0; n <= at && n < result.log_probabilities.size() && n < expected.log_probabilities.size();
                 ++n) {
                odds << " " << result.log_probabilities[n] << "/" << expected.log_probabilities[n];
            }
            return "log-probabilities" + odds.str() + "; step " + std::to_string(i) + " (" + name(item.what) + "): '" +
                   result.text + "' instead of '" + expected.text + "' after '" + middle + "'";
        }
    }
    return "";
}

// Removes steps as long as the session still fails.
std::vector<step> shortest(slot & subject, fresh_answers & fresh, std::vector<step> session, bool speculate) {
    totals ignored;
    for (size_t i = 0; i < session.size();) {
        std::vector<step> without = session;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        if (!play(subject, fresh, without, speculate, ignored).empty()) {
            session = std::move(without);
        } else {
            ++i;
        }
    }
    return session;
}

void check_sessions(const std::string & what, const slot_options & options, fresh_answers & fresh, bool speculate,
                    uint32_t first_seed, int count) {
    const auto subject = make_slot(options);
    totals     sums;
    // Nothing is drafted where no batch of two rows is known to be exact, as on ARM before a measurement.
    if (speculate && subject->ctx().exact_rows() == 1) {
        subject->calibrate({});
    }
    for (int i = 0; i < count; ++i) {
        const auto        session = random_session(first_seed + static_cast<uint32_t>(i), 12);
        const std::string failure = play(*subject, fresh, session, speculate, sums);
        if (!failure.empty()) {
            const auto least = shortest(*subject, fresh, session, speculate);
            totals     ignored;
            inkling_test::fail(__FILE__, __LINE__,
                               what + ", seed " + std::to_string(first_seed + static_cast<uint32_t>(i)) + ": " +
                                   failure + "\n    shortest: " + describe(least) + "\n    " +
                                   play(*subject, fresh, least, speculate, ignored));
            return;
        }
    }
    std::cout << "     " << what << (speculate ? " with drafts" : "") << ": " << sums.requests
              << " requests; tokens evaluated " << sums.evaluated << " against " << sums.fresh
              << " fresh; drafts accepted " << sums.accepted << " of " << sums.drafted
              << "; largest difference of a log-probability " << sums.largest_logit_difference << "\n";
    // These costs make the longest drafts, whether they are accepted or not.
    const int64_t rejected = sums.drafted - sums.accepted;
    CHECK((sums.evaluated - rejected) * 2 < sums.fresh);
    CHECK(!speculate || sums.accepted > 0 || subject->ctx().exact_rows() < 2);
    // No difference is allowed: every state went through the batches of a fresh evaluation.
    CHECK(sums.largest_logit_difference == 0.0f || !inkling_test::bit_exact());
    // Attention needs no checkpoints, as it can be trimmed at any token.
    CHECK_EQUAL(subject->seq().checkpoints().size() > 0, subject->seq().recurrent());
}

// Runs the same sessions without drafts and with them.
void check_both(const std::string & what, const slot_options & options, uint32_t first_seed, int count) {
    fresh_answers fresh(options);
    check_sessions(what, options, fresh, false, first_seed, count);
    check_sessions(what, options, fresh, true, first_seed, count);
}

} // namespace

TEST("random sessions answer like a fresh engine, with drafts and without") {
    check_both("starter model", {}, 1000, scaled(20));
}

TEST("random sessions answer like a fresh engine, on each architecture") {
    for (const std::string & name : tiny_architectures()) {
        check_both(name, tiny(name), 3000, scaled(4));
    }
}

TEST("random sessions answer like a fresh engine, with a cache of q8_0") {
    slot_options options;
    options.kv = kv_type::q8_0;
    check_both("starter model, q8_0", options, 5000, scaled(3));
    options    = tiny("qwen2");
    options.kv = kv_type::q8_0;
    check_both("qwen2, q8_0", options, 6000, scaled(4));
}
