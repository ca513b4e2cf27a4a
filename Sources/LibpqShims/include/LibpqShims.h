#ifndef MEMO_LIBPQ_SHIMS_H
#define MEMO_LIBPQ_SHIMS_H

// libpq, found while running instead of when linking: a relay with a database in a file does not need
// it. These are the functions that are used, of a stable C interface (libpq.so.5):
// https://www.postgresql.org/docs/15/libpq.html

typedef struct memo_pq_connection memo_pq_connection;
typedef struct memo_pq_result memo_pq_result;
typedef struct memo_pq_options memo_pq_options;

// PGnotify.
typedef struct {
    char *relname;
    int be_pid;
    char *extra;
} memo_pq_notification;

// ConnStatusType, ExecStatusType and PGTransactionStatusType.
enum {
    memo_pq_connection_ok = 0,
    memo_pq_command_ok = 1,
    memo_pq_tuples_ok = 2,
    memo_pq_fatal_error = 7,
    memo_pq_pipeline_sync = 10,
    memo_pq_pipeline_aborted = 11,
    memo_pq_transaction_idle = 0,
    memo_pq_field_sqlstate = 'C',
};

// Each is the function of that name.
typedef struct {
    int (*PQlibVersion)(void);
    memo_pq_options *(*PQconninfoParse)(const char *text, char **message);
    void (*PQconninfoFree)(memo_pq_options *options);
    void (*PQfreemem)(void *memory);
    memo_pq_connection *(*PQconnectdbParams)(
        const char *const *names, const char *const *values, int expands);
    void (*PQfinish)(memo_pq_connection *connection);
    int (*PQstatus)(const memo_pq_connection *connection);
    int (*PQtransactionStatus)(const memo_pq_connection *connection);
    int (*PQconnectionNeedsPassword)(const memo_pq_connection *connection);
    int (*PQconnectionUsedPassword)(const memo_pq_connection *connection);
    int (*PQsocket)(const memo_pq_connection *connection);
    int (*PQsetnonblocking)(memo_pq_connection *connection, int on);
    int (*PQenterPipelineMode)(memo_pq_connection *connection);
    int (*PQpipelineSync)(memo_pq_connection *connection);
    int (*PQsendQueryParams)(
        memo_pq_connection *connection, const char *text, int count, const unsigned *types,
        const char *const *values, const int *lengths, const int *formats, int format);
    int (*PQsendPrepare)(
        memo_pq_connection *connection, const char *name, const char *text, int count,
        const unsigned *types);
    int (*PQsendQueryPrepared)(
        memo_pq_connection *connection, const char *name, int count, const char *const *values,
        const int *lengths, const int *formats, int format);
    int (*PQflush)(memo_pq_connection *connection);
    int (*PQconsumeInput)(memo_pq_connection *connection);
    int (*PQisBusy)(memo_pq_connection *connection);
    memo_pq_notification *(*PQnotifies)(memo_pq_connection *connection);
    memo_pq_result *(*PQgetResult)(memo_pq_connection *connection);
    int (*PQresultStatus)(const memo_pq_result *result);
    char *(*PQresultErrorField)(const memo_pq_result *result, int field);
    char *(*PQcmdStatus)(memo_pq_result *result);
    char *(*PQcmdTuples)(memo_pq_result *result);
    int (*PQntuples)(const memo_pq_result *result);
    int (*PQnfields)(const memo_pq_result *result);
    unsigned (*PQftype)(const memo_pq_result *result, int column);
    int (*PQgetisnull)(const memo_pq_result *result, int row, int column);
    int (*PQgetlength)(const memo_pq_result *result, int row, int column);
    char *(*PQgetvalue)(const memo_pq_result *result, int row, int column);
    void (*PQclear)(memo_pq_result *result);
    void *(*PQsetNoticeReceiver)(
        memo_pq_connection *connection, void (*receiver)(void *, const memo_pq_result *),
        void *argument);
} memo_libpq;

/// Loads the library `name`, and keeps it loaded. Fills `library`.
///
/// Returns 0 when the library, or one of the functions, is not on this machine.
int memo_libpq_load(const char *name, memo_libpq *library);

#endif
