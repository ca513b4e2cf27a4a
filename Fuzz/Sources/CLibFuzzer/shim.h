#include <stddef.h>
#include <stdint.h>

// https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library; the toolchain has no header.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
