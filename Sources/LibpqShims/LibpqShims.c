#include "LibpqShims.h"

#include <dlfcn.h>
#include <stddef.h>

#define LOAD(function) \
    (*(void **)&library->function = dlsym(handle, #function), library->function != NULL)

int memo_libpq_load(const char *name, memo_libpq *library) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return 0;
    return LOAD(PQlibVersion)
        && LOAD(PQconninfoParse)
        && LOAD(PQconninfoFree)
        && LOAD(PQfreemem)
        && LOAD(PQconnectdbParams)
        && LOAD(PQfinish)
        && LOAD(PQstatus)
        && LOAD(PQtransactionStatus)
        && LOAD(PQconnectionNeedsPassword)
        && LOAD(PQconnectionUsedPassword)
        && LOAD(PQsocket)
        && LOAD(PQsetnonblocking)
        && LOAD(PQenterPipelineMode)
        && LOAD(PQpipelineSync)
        && LOAD(PQsendQueryParams)
        && LOAD(PQsendPrepare)
        && LOAD(PQsendQueryPrepared)
        && LOAD(PQflush)
        && LOAD(PQconsumeInput)
        && LOAD(PQisBusy)
        && LOAD(PQnotifies)
        && LOAD(PQgetResult)
        && LOAD(PQresultStatus)
        && LOAD(PQresultErrorField)
        && LOAD(PQcmdStatus)
        && LOAD(PQcmdTuples)
        && LOAD(PQntuples)
        && LOAD(PQnfields)
        && LOAD(PQftype)
        && LOAD(PQgetisnull)
        && LOAD(PQgetlength)
        && LOAD(PQgetvalue)
        && LOAD(PQclear)
        && LOAD(PQsetNoticeReceiver);
}
