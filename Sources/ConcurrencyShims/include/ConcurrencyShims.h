#ifndef OUTBOX_CONCURRENCY_SHIMS_H
#define OUTBOX_CONCURRENCY_SHIMS_H

/// Returns the address of `swift_task_enqueueGlobal_hook`, a variable of Swift's concurrency
/// runtime: the function, or null, that takes each job made ready for the global executor.
///
/// Bound when a program is linked, so that a program with the runtime inside has it as well as one
/// that loads the runtime.
/// https://github.com/swiftlang/swift/blob/main/include/swift/Runtime/Concurrency.h
void *_Nonnull outbox_enqueue_global_hook(void);

#endif
