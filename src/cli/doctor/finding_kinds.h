/*
 * All that doctor can find, with what it means and what to do about it: this table is also the page
 * docs/reference/doctor.md. For src/cli/doctor/findings.c and the tests.
 *
 * id, name, severity, group, fix (what --fix does about it, NULL: nothing), meaning, remedy (where
 * the place of a finding does not say it better)
 */
#ifndef KOTA_CLI_DOCTOR_FINDING_KINDS_H
#define KOTA_CLI_DOCTOR_FINDING_KINDS_H

/* clang-format off */
#define FINDING_KINDS(X)                                                                           \
	X(STORE_FORMAT, "store-format", BROKEN, STORE, NULL,                                       \
	  "The folder is not a store, or was written by a newer version.",                                    \
	  "Nothing can be read or stored here until this is fixed.")                           \
	X(STORE_CLOSED, "store-closed", TODO, STORE, NULL,                                         \
	  "The folder of the store cannot be opened.",                                             \
	  "Nothing can be read or stored here until this is fixed.")                           \
	X(SETTINGS_BROKEN, "settings-broken", BROKEN, STORE, NULL,                                 \
	  "A config.json is not valid JSON, names an unknown setting, or gives one a wrong value.",       \
	  "Fix it: until then nothing is changed and nothing expires.")                           \
	X(STORE_FOREIGN, "store-foreign", TODO, STORE, NULL,                                       \
	  "The store came with a repository and is not trusted: it can be read but not changed, "  \
	  "and nothing from it is shown unasked.",                                                 \
	  "Look at it with kota trust --show; kota trust makes it your own.")                      \
	X(STORE_UNREVIEWED, "store-unreviewed", TODO, STORE, NULL,                                 \
	  "A store that nobody has reviewed has links or settings that are ignored.",              \
	  "Look at it with kota trust --show; kota trust puts them in force.")                     \
	X(SETTINGS_HELD, "settings-held", TODO, STORE, NULL,                                       \
	  "In a store that a repository tracks, config.json was changed to allow more than when "  \
	  "it was trusted.",                                                                       \
	  "If you want that: kota trust. Otherwise restore config.json.")                          \
	X(STATE_TRACKED, "state-tracked", TODO, STORE, NULL,                                       \
	  "A repository tracks files that the program keeps for itself: they are ignored.",   \
	  "Remove them from the repository: git rm --cached FILE")                                 \
	X(MERGE_DRIVER_MISSING, "merge-driver-missing", TODO, STORE, NULL,                         \
	  "A repository shares the store, and in this clone git does not know how to merge it.",   \
	  "Run kota setup git once in this clone: otherwise two people who add an entry each get " \
	  "conflict markers in the file.")                                                         \
	X(MERGE_DRIVER_OUTDATED, "merge-driver-outdated", TODO, STORE, NULL,                       \
	  "In this clone git merges the files of the store by settings of another version.",       \
	  "Run kota setup git once more in this clone: otherwise clones that pull from each "      \
	  "other crosswise may bring back what was deleted, and never become the same.")           \
	X(HALF_IGNORED, "half-ignored", TODO, STORE, NULL,                                         \
	  "A repository tracks files of the store and ignores others.",                            \
	  "What moves from a tracked file to an ignored one is lost to the others: remove the "    \
	  "rule that git check-ignore -v FILE names.")                                             \
	X(HALF_TRACKED, "half-tracked", TODO, STORE, NULL,                                         \
	  "A repository tracks files of the store, but not all, such as those of the cold "        \
	  "archive.",                                                                              \
	  "What moves from a tracked file to another one is lost to the others: git add FILE")     \
	X(NO_STATE_FOLDER, "no-state-folder", TODO, STORE, NULL,                                   \
	  "There is no usable folder for what kota knows of your stores.",                         \
	  "Until there is, stores that you make in projects count as not reviewed, and what an "   \
	  "interrupted change leaves is not signed: make $XDG_STATE_HOME, or ~/.local/state, a "   \
	  "folder that you alone can write to.")                                                   \
	X(NOT_WRITABLE, "not-writable", TODO, STORE, NULL,                                         \
	  "The store can be read but not changed.",                                                \
	  "Nothing can be stored: make it writable, or choose another store with --dir.")          \
	X(OPEN_TO_OTHERS, "open-to-others", TODO, STORE, "removes the rights of others",        \
	  "Other users of this machine may read or change files of the store.",                    \
	  "Remove the rights of others: chmod go= FILE.")                                       \
	X(OPEN_BEHIND_LINK, "open-behind-link", TODO, STORE, NULL,                                 \
	  "A file that a link of the store leads to, or that has other names, is open to others.", \
	  "It is also used elsewhere, so you decide: chmod go= FILE.")                             \
	X(FOREIGN_OWNER, "foreign-owner", TODO, STORE, NULL,                                       \
	  "A file of the store belongs to another user.",                                          \
	  "It is not written to: make it your own with chown, or remove it.")                      \
	X(MARKS_MISSING, "marks-missing", NOTE, STORE, "completes .kota and .gitignore",           \
	  "`.kota` or `.gitignore` is missing, or a line of it.",                                  \
	  "The next change creates a missing file.")                                            \
	X(FILE_BROKEN, "file-broken", BROKEN, FILES, NULL,                                         \
	  "A file of the store is not a JSON object, or not a file of your own.",                        \
	  "Fix it in an editor; until then its entries are left out and it is not written to.")   \
	X(FILE_DAMAGED, "file-damaged", BROKEN, FILES,                                             \
	  "puts back its last text, and keeps the other beside it",                                \
	  "A file of the store was emptied, or does not parse; its last text is available.",       \
	  "Fix it in an editor, or put its last text back with kota doctor --fix; write {} into "  \
	  "it if it should be empty. Until then answers use the last text, and changes to the "    \
	  "file are refused.")                                                                     \
	X(MERGE_MARKERS, "merge-markers", BROKEN, FILES, NULL,                                     \
	  "git could not merge a file of the store and left conflict markers in it.",              \
	  "kota resolve merges both sides entry by entry; until then its entries are left out "    \
	  "and it is not written to.")                                                             \
	X(LINK_REFUSED, "link-refused", TODO, FILES, NULL,                                         \
	  "A file of the store is a link that is not followed.",                                   \
	  "If it should lead there: kota trust --link FILE")                                       \
	X(CHANGED_BY_OTHERS, "changed-by-others", NOTE, FILES, NULL,                               \
	  "A repository tracks the store, and entries in it are neither as you saw them nor as "   \
	  "kota wrote them.",                                                                      \
	  "They are marked where they are looked up; kota trust shows them and asks. What you "    \
	  "edit by hand counts as such a change.")                                                 \
	X(HARD_LINK, "hard-link", TODO, FILES, NULL,                                               \
	  "A file of the store has more than one name.",                                           \
	  "The next change gives this name a file of its own, and the others keep the old text: "  \
	  "replace the hard link by a symbolic link if they should follow.")                       \
	X(OVER_TOTAL, "over-total", TODO, FILES, NULL,                                             \
	  "The files are larger than limits.total_bytes.",                                         \
	  "The next change moves old archive records to the cold archive; delete what is not "     \
	  "needed, or raise limits.total_bytes in config.json.")                                   \
	X(OVER_ENTRIES, "over-entries", TODO, FILES, NULL,                                         \
	  "A category has more entries than limits.entries_per_category.",                         \
	  "All stay, but each new entry sends one to the archive: delete some, or raise "          \
	  "limits.entries_per_category in config.json.")                                           \
	X(ENTRY_TOO_LARGE, "entry-too-large", TODO, FILES, NULL,                                   \
	  "An entry is larger than limits.entry_bytes.",                                           \
	  "It stays, but can only be made smaller: shorten it, or raise limits.entry_bytes in "    \
	  "config.json.")                                                                          \
	X(OVER_PINNED, "over-pinned", TODO, FILES, NULL,                                           \
	  "More than half of a limit is pinned, so there is little room for new entries.",         \
	  "Unpin what need not stay for ever: kota set KEY VALUE --pinned false.")                 \
	X(SAME_KEY, "same-key", TODO, FILES, NULL,                                                 \
	  "Two keys of a category are the same key in different spellings.",                      \
	  "Only the first answers to other spellings of the key: rename one of them with kota "    \
	  "mv, or delete it.")                                                                     \
	X(BLANK_KEY, "blank-key", TODO, FILES, NULL,                                               \
	  "The key of an entry is blank.",                                                         \
	  "Give it a name: kota mv 'CATEGORY: ' NAME")                                             \
	X(EXPIRES_SOON, "expires-soon", NOTE, FILES, NULL,                                         \
	  "Entries unused for a long time go to the archive within a week.",                \
	  "Look up what should stay, or pin it; kota restore brings back what has gone.")          \
	X(DUE_SHARED, "due-shared", NOTE, FILES, NULL,                                             \
	  "The store is shared, so nothing expires in it, though entries have not been used here " \
	  "for a long time.",                                              \
	  "Delete what nobody needs any more: kota delete KEY")                                    \
	X(CONFLICT, "conflict", TODO, FILES, NULL,                                                 \
	  "Two machines or branches changed an entry at once: one text is in use, the other in "  \
	  "the archive.",                                                                          \
	  "kota conflicts shows both and how to choose; any change of the entry decides, too.")   \
	X(DUE_UNSYNCED, "due-unsynced", NOTE, FILES, NULL,                                         \
	  "Entries have not been used for a long time, but the store has a remote and was not "    \
	  "synced for a week: other machines may use them.",                                       \
	  "Sync it: then what no machine uses expires.")                                           \
	X(SECRET, "secret", TODO, FILES, NULL,                                                     \
	  "A value, key or link holds a key or token of a known form.",                                  \
	  "Remove it in an editor, and replace it where it is in use: it may have been "   \
	  "read. To keep it, change the setting \"secrets\".")                                     \
	X(PASSWORD, "password", NOTE, FILES, NULL,                                                 \
	  "A value or key holds what looks like a password.",                                      \
	  "Whatever reads the store can read it: keep passwords elsewhere.")                       \
	X(BAD_RECORDS, "bad-records", TODO, FILES, NULL,                                           \
	  "archive.json has members that are not records.",                                         \
	  "They are skipped and left as they are: fix or remove them.")                                \
	X(LINK_GONE, "link-gone", TODO, FILES, NULL,                                               \
	  "A link names an entry that is neither in the store nor in the archive.",                \
	  "It is hidden: remove it from relations.json, or with kota relate FROM TO TYPE "    \
	  "--remove.")                                                                             \
	X(BAD_LINKS, "bad-links", TODO, FILES, NULL,                                               \
	  "relations.json has members that are not links.",                                         \
	  "A link needs \"from\" and \"to\", and one of the six types; anything else is left alone.") \
	X(COLD_BROKEN, "cold-broken", BROKEN, FILES, NULL,                                         \
	  "The folder of the cold archive, or a file in it, cannot be used.",                      \
	  "Fix or remove it; nothing is archived there until then.")                              \
	X(COLD_LINES, "cold-lines", BROKEN, FILES, NULL,                                           \
	  "A file of the cold archive has lines that are not records.",                             \
	  "They are skipped and left as they are: fix or remove them.")                                \
	X(NOTES_CLOSED, "notes-closed", TODO, FILES, NULL,                                         \
	  "The folder of notes cannot be read, or notes in it are passed over.",                   \
	  "A note is a regular file of at most a megabyte; the setting \"notes_dir\" says where "  \
	  "they are.")                                                                             \
	X(NOTE_MISSING, "note-missing", TODO, FILES, NULL,                                         \
	  "An entry was promoted to a note that no longer exists.",                           \
	  "Put the note back, or write it again: kota promote KEY --force --dry-run false")          \
	X(SYNONYMS_BROKEN, "synonyms-broken", TODO, FILES, NULL,                                   \
	  "synonyms.json cannot be read.",                                                         \
	  "Fix it in an editor; until then lookups go without it.")                               \
	X(METADATA_STALE, "metadata-stale", NOTE, FILES, "rewrites metadata.json",              \
	  "metadata.json, which is made from the other files, is torn or does not agree with "     \
	  "them.",                                                                                 \
	  "Nothing depends on it, and the next change rewrites it.")                               \
	X(METADATA_BLOCKED, "metadata-blocked", TODO, FILES, NULL,                                 \
	  "Something that is not a file is named metadata.json.",                              \
	  "Remove it: metadata.json cannot be written.")                                           \
	X(USAGE_BROKEN, "usage-broken", TODO, FILES, NULL,                                         \
	  "usage.jsonl cannot be read.",                                                           \
	  "Lookups are not counted, and nothing expires: fix or remove it.")                      \
	X(CLOCK, "clock", TODO, FILES, NULL,                                                       \
	  "Judging by the times in the store, the clock of this machine is wrong.",                         \
	  "Nothing expires for now: check the date of this machine.")                              \
	X(LATER_TIMES, "later-times", NOTE, FILES, NULL,                                           \
	  "Some times in the store lie in the future.",                                            \
	  "They count as now.")                                                                    \
	X(LOCK_BLOCKED, "lock-blocked", BROKEN, CHANGES, NULL,                                     \
	  "Something that is not a file of your own has the name of the lock.",                       \
	  "Changes are refused until it is removed.")                                              \
	X(JOURNAL_BROKEN, "journal-broken", BROKEN, CHANGES, NULL,                                 \
	  "What an interrupted change left behind cannot be read.",                                   \
	  "Changes are refused until it is fixed or moved away.")                                 \
	X(JOURNAL_LEFT, "journal-left", NOTE, CHANGES, "finishes the interrupted change",          \
	  "A change was interrupted after it was committed.",                                      \
	  "The next change finishes it.")                                                          \
	X(JOURNAL_UNSIGNED, "journal-unsigned", TODO, CHANGES, "carries out the unsigned change",  \
	  "A change was interrupted, and its journal is not signed with your key.",                \
	  "If it is yours, kota doctor --fix carries it out; if you do not know it, remove it.")   \
	X(JOURNAL_REFUSED, "journal-refused", TODO, CHANGES, NULL,                                 \
	  "What looks like an interrupted change was written by somebody else, or is damaged.",    \
	  "It is never carried out: remove it when you have seen it.")                             \
	X(NO_KEY, "no-key", TODO, CHANGES, NULL,                                                   \
	  "There is no key to sign changes with, or others could read it.",                        \
	  "Fix that: until then an interrupted change is not finished.")                           \
	X(PURGE_LEFT, "purge-left", TODO, CHANGES, NULL,                                           \
	  "A purge was interrupted.",                                                              \
	  "Purge it again: that finishes it.")                                                     \
	X(IN_THE_WAY, "in-the-way", BROKEN, CHANGES, NULL,                                         \
	  "Something that is not a file has a name that changes need.",                               \
	  "Changes are refused until it is removed.")                                              \
	X(LEFTOVER, "leftover", NOTE, CHANGES, "removes temporary files that nothing needs",        \
	  "An interrupted change has left temporary files.",                                       \
	  "The next change removes them.")                                                     \
	X(TEXT_KEPT, "text-kept", TODO, CHANGES, NULL,                                             \
	  "A text was kept that may be an edit of yours.",                                         \
	  "Compare it with the file, copy over what is missing there, and remove it.")             \
	X(TEXT_HELD, "text-held", NOTE, CHANGES, NULL,                                             \
	  "A replaced file is held because a program may still write to it.",                      \
	  "What it saves there is merged with a later change.")                                \
	X(FILE_SYSTEM, "file-system", NOTE, CHANGES, NULL,                                         \
	  "The store is on a network, or where two files cannot be exchanged in one step.",        \
	  "Locks and replacing files may be weaker here: do not edit by hand while an agent "      \
	  "stores something, and prefer a store on a local disk.")                                 \
	X(NO_LEASES, "no-leases", NOTE, CHANGES, NULL,                                             \
	  "It cannot be told here whether an editor is still writing to a file.",                  \
	  "Close an editor that saves in place before an agent stores something twice.")           \
	X(DISK_FULL, "disk-full", TODO, CHANGES, NULL,                                             \
	  "The disk is almost full.",                                            \
	  "Free some space: until then changes are refused, and nothing is lost.")                       \
	X(NO_INODES, "no-inodes", TODO, CHANGES, NULL,                                             \
	  "The disk can hold no more files, however much space is free.",                          \
	  "Remove files that nobody needs: until then changes are refused or not recorded in the " \
	  "history, and nothing is lost.")                                                         \
	X(NO_HISTORY, "no-history", NOTE, HISTORY, NULL,                                           \
	  "There is no history, though the settings do not turn it off.",                          \
	  "Changes are still made, and what they replace is kept in the cold archive for "  \
	  "kota undo.")                                                                            \
	X(HISTORY_REFUSED, "history-refused", TODO, HISTORY, NULL,                                 \
	  "Changes are not recorded now: the repository is in use, or not one that can be used.",  \
	  "Changes are still made, and what they replace is kept in the cold archive for "  \
	  "kota undo.")                                                                            \
	X(HISTORY_GONE, "history-gone", TODO, HISTORY, NULL,                                       \
	  "There was a history, and .git is gone.",                                                \
	  "The entries and the archive are safe. If there is a copy of .git, put it back; "        \
	  "otherwise the next change begins a new history.")                                       \
	X(HISTORY_DAMAGED, "history-damaged", BROKEN, HISTORY, NULL,                               \
	  "The repository cannot be read.",                                                        \
	  "git fsck says what is damaged; the files of the store are fine.")                       \
	X(HISTORY_TIP, "history-tip", BROKEN, HISTORY, "sets the branch to the last whole commit", \
	  "The last commits of the history are gone, or their objects.",                          \
	  "kota doctor --fix sets the branch to the last commit that is whole, and records what "  \
	  "the files have since.")                                                                 \
	X(HISTORY_CUT, "history-cut", NOTE, HISTORY, "puts back what the power cut took",          \
	  "The machine went down while changes were recorded: git may see empty or missing "       \
	  "objects, or an older branch.",                                                          \
	  "Any command that opens the store puts them back from its log.")                        \
	X(HISTORY_LOG, "history-log", BROKEN, HISTORY, "puts back the changes that can be read",    \
	  "The log of changes has a record in the middle that cannot be read.",                    \
	  "Changes are refused until kota doctor --fix has put back the others; the log stays.")  \
	X(HISTORY_CLOSED, "history-closed", TODO, HISTORY, NULL,                                   \
	  "The repository has folders that you may not write to, as git leaves them when it is run " \
	  "as another user.",                                                                      \
	  "Make them yours: sudo chown -R \"$(id -un)\" on the .git folder of the store. Until then " \
	  "changes wait in .pending.")                                                             \
	X(GIT_LOCK, "git-lock", TODO, HISTORY, "removes the lock, while no git is at work there",  \
	  "A process that was killed left a lock of git.",                                         \
	  "kota doctor --fix removes it: changes wait in .pending until then.")                    \
	X(INDEX_ASIDE, "index-aside", NOTE, HISTORY, NULL,                                         \
	  "The index of the repository was damaged and is begun anew.",                            \
	  "Remove it: what was staged in it can be staged again.")                                 \
	X(WAITING, "waiting", NOTE, HISTORY, NULL,                                                 \
	  "Changes are not in the history yet, which cannot be written now.",                      \
	  "They are kept in .pending, and recorded with the first change after that is fixed.")    \
	X(UNRECORDED, "unrecorded", NOTE, HISTORY, "records what waits",                           \
	  "Changes or edits by hand are not in the history yet.",                                  \
	  "They are recorded with the next change.")                                               \
	X(SECRET_WAITS, "secret-waits", TODO, HISTORY, NULL,                                       \
	  "Changes are not recorded because a file has a secret that was written by hand.",        \
	  "Remove the secret in an editor; or record everything, secrets included, with kota doctor " \
	  "--record: what is in a history stays there.")                                           \
	X(PENDING_BROKEN, "pending-broken", TODO, HISTORY, NULL,                                   \
	  ".pending, which says what has yet to be recorded, cannot be read.",                     \
	  "Remove it: changes in it are then recorded as edits.")                                  \
	X(CLIENT_GONE, "client-gone", TODO, CLIENTS, NULL,                                         \
	  "A client is set to start a program that does not exist or cannot be run.",              \
	  "Point it to this program: kota setup CLIENT.")                                          \
	X(CLIENT_OTHER, "client-other", NOTE, CLIENTS, NULL,                                       \
	  "A client starts a kota other than this one.",                                           \
	  "If that is not intended: kota setup CLIENT.")                                             \
	X(CLIENT_FOREIGN, "client-foreign", NOTE, CLIENTS, NULL,                                   \
	  "A client has something else called \"memory\".",                                      \
	  "Remove it or give it another name before kota setup CLIENT, if this should be its memory.") \
	X(CLIENT_TWICE, "client-twice", TODO, CLIENTS, NULL,                                       \
	  "A client has the server, or the hook, twice: a model sees everything double.",          \
	  "Keep one: kota setup CLIENT --remove removes what it added.")                \
	X(CLIENT_BROKEN, "client-broken", TODO, CLIENTS, NULL,                                     \
	  "A client's file cannot be read.",                                                       \
	  "Fix it: the client may be unable to read it too.")                                           \
	X(HOOK_FAILED, "hook-failed", TODO, CLIENTS, NULL,                                         \
	  "The hook of a session failed.",                                          \
	  "Fix the cause; the next session that starts well clears this.")                           \
	X(TERMINAL, "terminal", NOTE, PROGRAM, NULL,                                               \
	  "The terminal is set to an encoding other than UTF-8.",                              \
	  "Everything is written in UTF-8: choose a locale that ends in .UTF-8 to see it correctly.")  \
	X(NOT_CONFINED, "not-confined", NOTE, PROGRAM, NULL,                                       \
	  "The kernel cannot confine the server and the hooks to the files that they need.",       \
	  "Everything works without that. It needs Linux 5.19 or newer with landlock switched on.")
/* clang-format on */

#endif
