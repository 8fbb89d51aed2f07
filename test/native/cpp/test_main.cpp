// inkling_tests MODEL [FILE [NAME]]          runs the cases of a test file (engine_test) whose name contains NAME
// inkling_tests --write-tiny-models MODEL    writes the tiny models that several test files load
//
// MODEL is the starter model. main() has its own file, so that a tool that links the test support can have another.
#include "check.h"
#include "tiny_models.h"

#include <exception>
#include <iostream>
#include <string>

int main(int argc, char ** argv) {
    const auto argument = [&](int at) {
        return std::string(at < argc ? argv[at] : "");
    };
    if (argument(1) != "--write-tiny-models") {
        return inkling_test::run_cases({argument(1), argument(2), argument(3)});
    }
    try {
        inkling_test::write_tiny_models(argument(2));
        return 0;
    } catch (const std::exception & error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
