#include <ares.h>
#include <netdb.h>
#include <sys/socket.h>

// The replies of c-ares without `struct hostent`: that type belongs to the C library, and a module that wraps
// another library's header does not show it everywhere.

static inline int cares_parse_a(
    const unsigned char *reply, int length, struct ares_addrttl *addresses, int *count) {
    return ares_parse_a_reply(reply, length, 0, addresses, count);
}

static inline int cares_parse_aaaa(
    const unsigned char *reply, int length, struct ares_addr6ttl *addresses, int *count) {
    return ares_parse_aaaa_reply(reply, length, 0, addresses, count);
}

// The names of an address of 4 or 16 bytes. The caller passes `*host` to cares_free_names, whatever the status is.
static inline int cares_parse_ptr(
    const unsigned char *reply, int length, const void *address, int size, void **host) {
    struct hostent *parsed = 0;
    int family = size == 4 ? AF_INET : AF_INET6;
    int status = ares_parse_ptr_reply(reply, length, address, size, family, &parsed);
    *host = parsed;
    return status;
}

// The names, of which the last is null; null where there are none.
static inline char **cares_names(void *host) {
    return host ? ((struct hostent *)host)->h_aliases : 0;
}

static inline void cares_free_names(void *host) {
    if (host) ares_free_hostent(host);
}
