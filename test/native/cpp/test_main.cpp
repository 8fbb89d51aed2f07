// Alone in its file, so that a tool that links the test support can have a main function of its own.
#include "check.h"

int main(int argc, char ** argv) {
    return inkling_test::run_cases(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
}
