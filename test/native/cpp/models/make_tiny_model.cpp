// make_tiny_model TOKENIZER_FROM OUTPUT ARCHITECTURE
//
// Writes a tiny random model of one of the tests' architectures to a file. Benchmarks use it to compare with programs
// that only read files.
#include "tiny_models.h"

#include <algorithm>
#include <exception>
#include <iostream>

int main(int argc, char ** argv) {
    const auto & known = inkling_test::tiny_architectures();
    if (argc != 4 || std::find(known.begin(), known.end(), argv[3]) == known.end()) {
        std::cerr << "usage: make_tiny_model TOKENIZER_FROM OUTPUT ARCHITECTURE; the architectures are";
        for (const auto & name : known) {
            std::cerr << ' ' << name;
        }
        std::cerr << '\n';
        return 1;
    }
    try {
        inkling_test::write_tiny_model(argv[3], "q4_K", argv[1], argv[2]);
        return 0;
    } catch (const std::exception & error) {
        std::cerr << "make_tiny_model: " << error.what() << '\n';
        return 1;
    }
}
