#pragma once

namespace inkling {

// From the least urgent to the most urgent. Equal jobs run in the order of their arrival. Control is for work that
// takes no time, such as giving memory back.
enum class job_priority { background, chat, completion, control };

// Completion and chat have a slot each: a context of their own on the same weights.
enum class slot_kind { completion, chat };

} // namespace inkling
