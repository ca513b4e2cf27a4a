#ifndef EDITLINE_H
#define EDITLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

// libedit (https://thrysoee.dk/editline/) in a shape that Swift can call: its interface is variadic.
//
// Keys reach libedit through `read`. Characters from EDITLINE_COMMAND on, 28 of them, run `perform`
// with their number; the three after them are libedit's own marking and killing. All other
// characters have libedit's Emacs bindings, less those that would end, quote or search a line.

/// One editing session on one terminal.
typedef struct editline_session editline_session;

/// The functions that libedit calls. All are called on the thread that called `editline_run`.
typedef struct {
    void *context;
    /// The next key. Returns 1, or -1 to end the session.
    int32_t (*read)(void *context, wchar_t *key);
    /// Performs command `number`.
    int32_t (*perform)(void *context, int32_t number);
    /// Writes to the terminal.
    void (*write)(void *context, const char *bytes, size_t count);
} editline_hooks;

/// The answers of `perform`.
enum {
    EDITLINE_DONE = 0,
    EDITLINE_REFRESH = 1,
    EDITLINE_BEEP = 2,
    EDITLINE_FINISH = 3,
};

enum {
    EDITLINE_COMMAND = 0x80,
    EDITLINE_COMMANDS = 28,
    EDITLINE_SET_MARK = 0x9D,
    EDITLINE_KILL_REGION = 0x9E,
};

/// Chooses a character set locale that is UTF-8. Returns false when the system has none.
bool editline_use_utf8(void);

/// Opens a session; NULL when there is no memory for one. The person's own ~/.editrc is not read:
/// it could take away the keys that send and leave.
editline_session *editline_open(int input, int output, editline_hooks hooks);

/// Edits until a command finishes or a key cannot be read.
void editline_run(editline_session *session);

/// Restores the terminal and frees the session.
void editline_close(editline_session *session);

/// Puts the terminal into the editor's mode, or back into the mode it was found in.
void editline_set_raw(editline_session *session, bool raw);

/// Draws the text anew from where the cursor is, which has to be an empty line's first column.
void editline_redraw(editline_session *session);

/// Learns the terminal's size.
void editline_resize(editline_session *session);

/// The text being edited. The pointer is good until the text changes.
const wchar_t *editline_text(editline_session *session, size_t *count, size_t *cursor);

/// Replaces the text; false when there is no memory for it. `text` holds no zero.
bool editline_replace(editline_session *session, const wchar_t *text, size_t count, size_t cursor);

/// Inserts `text`, which ends in a zero, at the cursor; false when there is no memory for it.
bool editline_insert(editline_session *session, const wchar_t *text);

/// Removes characters on either side of the cursor; false when there is no memory to do it.
bool editline_delete(editline_session *session, size_t before, size_t after);

/// Moves the cursor.
void editline_move(editline_session *session, ptrdiff_t distance);

/// Has libedit read `keys`, which end in a zero, before any other.
void editline_push(editline_session *session, const wchar_t *keys);

/// The terminal's size; 24 by 80 where it does not say.
void editline_terminal_size(int terminal, int32_t *rows, int32_t *columns);

/// The columns in which libedit draws a character that is neither a tab nor a newline.
int32_t editline_width(wchar_t character);

/// Whether a character takes no column of its own: a combining mark, or an invisible one.
bool editline_is_zero_width(wchar_t character);

#endif
