#include "ConcurrencyShims.h"

extern void *swift_task_enqueueGlobal_hook;

void *outbox_enqueue_global_hook(void) { return &swift_task_enqueueGlobal_hook; }
