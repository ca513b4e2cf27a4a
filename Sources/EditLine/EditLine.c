#define _GNU_SOURCE

#include "EditLine.h"

#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <wctype.h>

struct editline_session {
    EditLine *editor;
    FILE *output;
    editline_hooks hooks;
};

bool editline_use_utf8(void) {
    static const char *const names[] = {"", "C.UTF-8", "C.utf8", "en_US.UTF-8", "UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_CTYPE, names[i]) != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0) {
            return true;
        }
    }
    return false;
}

static editline_session *session_of(EditLine *editor) {
    void *session = NULL;
    el_get(editor, EL_CLIENTDATA, &session);
    return session;
}

static int read_key(EditLine *editor, wchar_t *key) {
    editline_session *session = session_of(editor);
    return session->hooks.read(session->hooks.context, key);
}

static wchar_t *no_prompt(EditLine *editor) {
    static wchar_t empty[] = L"";
    (void)editor;
    return empty;
}

static unsigned char perform(EditLine *editor, wint_t key) {
    editline_session *session = session_of(editor);
    switch (session->hooks.perform(session->hooks.context, (int32_t)key - EDITLINE_COMMAND)) {
    case EDITLINE_DONE: return CC_NORM;
    case EDITLINE_REFRESH: return CC_REFRESH;
    case EDITLINE_FINISH: return CC_NEWLINE;
    default: return CC_ERROR;
    }
}

#ifdef __APPLE__
static int write_output(void *cookie, const char *bytes, int count) {
    editline_session *session = cookie;
    session->hooks.write(session->hooks.context, bytes, (size_t)count);
    return count;
}
#else
static ssize_t write_output(void *cookie, const char *bytes, size_t count) {
    editline_session *session = cookie;
    session->hooks.write(session->hooks.context, bytes, count);
    return (ssize_t)count;
}
#endif

static FILE *open_output(editline_session *session) {
#ifdef __APPLE__
    return funopen(session, NULL, write_output, NULL, NULL);
#else
    cookie_io_functions_t functions = {.write = write_output};
    return fopencookie(session, "w", functions);
#endif
}

static void bind_keys(EditLine *editor) {
    // A key that ends, quotes, suspends or searches a line does not belong in a text of many lines. A
    // key that reads a further key by itself would read a command's number.
    static const wchar_t *const unwanted[] = {
        L"^C", L"^D", L"^J", L"^M", L"^N", L"^O", L"^P", L"^Q", L"^R", L"^S", L"^V", L"^Z", L"^\\",
        L"^]", L"\\ex", L"\\eX", L"\\ep", L"\\eP", L"\\en", L"\\eN",
    };
    el_set(editor, EL_EDITOR, "emacs");
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        el_wset(editor, EL_BIND, unwanted[i], L"ed-unassigned", NULL);
    }
    el_wset(editor, EL_ADDFN, L"memo-perform", L"Perform a command of the composer", perform);
    wchar_t key[2] = {0, 0};
    for (key[0] = EDITLINE_COMMAND; key[0] < EDITLINE_COMMAND + EDITLINE_COMMANDS; key[0]++) {
        el_wset(editor, EL_BIND, key, L"memo-perform", NULL);
    }
    key[0] = EDITLINE_SET_MARK;
    el_wset(editor, EL_BIND, key, L"em-set-mark", NULL);
    key[0] = EDITLINE_KILL_REGION;
    el_wset(editor, EL_BIND, key, L"em-kill-region", NULL);
}

editline_session *editline_open(int input, int output, editline_hooks hooks) {
    editline_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    session->hooks = hooks;
    session->output = open_output(session);
    if (session->output != NULL) {
        setvbuf(session->output, NULL, _IOFBF, 1 << 16);
        session->editor =
            el_init_fd("memo", stdin, session->output, session->output, input, output, output);
    }
    if (session->editor == NULL) {
        if (session->output != NULL) fclose(session->output);
        free(session);
        return NULL;
    }
    EditLine *editor = session->editor;
    el_set(editor, EL_CLIENTDATA, session);
    el_wset(editor, EL_GETCFN, read_key);
    el_wset(editor, EL_PROMPT, no_prompt);
    el_set(editor, EL_SETTY, "-d", "-icrnl", "-inlcr", "-igncr", "-isig", "-ixon", NULL);
    bind_keys(editor);
    return session;
}

void editline_run(editline_session *session) {
    int count;
    el_wgets(session->editor, &count);
}

void editline_close(editline_session *session) {
    el_end(session->editor);
    fclose(session->output);
    free(session);
}

void editline_set_raw(editline_session *session, bool raw) {
    el_set(session->editor, EL_PREP_TERM, raw ? 1 : 0);
}

void editline_redraw(editline_session *session) { el_set(session->editor, EL_REFRESH); }

void editline_resize(editline_session *session) { el_resize(session->editor); }

const wchar_t *editline_text(editline_session *session, size_t *count, size_t *cursor) {
    const LineInfoW *line = el_wline(session->editor);
    *count = (size_t)(line->lastchar - line->buffer);
    *cursor = (size_t)(line->cursor - line->buffer);
    return line->buffer;
}

/// Replaces the line by `before` and `after`, with the cursor between them.
///
/// Not by el_deletestr where it can be helped: that copies what it deletes into the kill buffer.
static bool store(editline_session *session, const wchar_t *before, size_t before_count,
    const wchar_t *after, size_t after_count) {
    EditLine *editor = session->editor;
    const LineInfoW *line = el_wline(editor);
    int old = (int)(line->lastchar - line->buffer);
    size_t count = before_count + after_count;
    if (count == 0) {
        el_cursor(editor, old);
        el_deletestr(editor, old);
        return true;
    }
    // A copy, because the parts may be parts of the line.
    wchar_t *copy = malloc((count + 1) * sizeof *copy);
    if (copy == NULL) return false;
    if (before_count > 0) wmemcpy(copy, before, before_count);
    if (after_count > 0) wmemcpy(copy + before_count, after, after_count);
    copy[count] = 0;
    bool stored = el_wreplacestr(editor, copy) == 0;
    free(copy);
    if (stored) el_cursor(editor, (int)before_count - el_cursor(editor, 0));
    return stored;
}

bool editline_replace(editline_session *session, const wchar_t *text, size_t count, size_t cursor) {
    return store(session, text, cursor, text + cursor, count - cursor);
}

bool editline_insert(editline_session *session, const wchar_t *text) {
    return text[0] == 0 || el_winsertstr(session->editor, text) == 0;
}

bool editline_delete(editline_session *session, size_t before, size_t after) {
    const LineInfoW *line = el_wline(session->editor);
    return store(session, line->buffer, (size_t)(line->cursor - line->buffer) - before,
        line->cursor + after, (size_t)(line->lastchar - line->cursor) - after);
}

void editline_move(editline_session *session, ptrdiff_t distance) {
    el_cursor(session->editor, (int)distance);
}

void editline_push(editline_session *session, const wchar_t *keys) {
    el_wpush(session->editor, keys);
}

void editline_terminal_size(int terminal, int32_t *rows, int32_t *columns) {
    struct winsize size;
    bool known = ioctl(terminal, TIOCGWINSZ, &size) == 0;
    // The size that libedit falls back to.
    *rows = known && size.ws_row > 0 ? size.ws_row : 24;
    *columns = known && size.ws_col > 1 ? size.ws_col : 80;
}

int32_t editline_width(wchar_t character) {
    if (character < 0x100 && iswcntrl((wint_t)character)) return 2;
    if (!iswprint((wint_t)character)) return character > 0xFFFF ? 8 : 7;
    int width = wcwidth(character);
    return width < 0 ? 0 : width;
}

bool editline_is_zero_width(wchar_t character) {
    return iswprint((wint_t)character) && wcwidth(character) == 0;
}
